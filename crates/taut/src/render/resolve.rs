//! From samples to pixels: each surface in a pixel is shaded once, and counted by its samples.
//!
//! Samples of one pixel belong together if colour, side and depth agree; their normals and positions are
//! averaged before shading, which costs one shading per pixel almost everywhere and still gives eight-fold
//! edges. Samples without a face, or with one under the ground, show the backdrop.

use super::camera::PixelCamera;
use super::raster::{NONE, OFFSETS, SAMPLES, at};
use super::shade::{Fragment, colour, shade};
use super::soup::Stuff;
use super::{Drawing, Renderer};
use glam::DVec3;

/// The samples of one surface in a pixel.
#[derive(Debug, Clone, Copy)]
struct Group {
    samples: f64,
    depth: f32,
    patch: u32,
    position: DVec3,
    normal: DVec3,
    open: f64,
    /// Darkness of the wireframe.
    wire: f64,
}

impl Group {
    fn absorb(&mut self, part: &Group) {
        self.samples += part.samples;
        self.position += part.position;
        self.normal += part.normal;
        self.open += part.open;
        self.wire += part.wire;
    }
}

impl Renderer {
    /// Turn the band's samples into pixels of the picture.
    pub(super) fn resolve(&mut self, drawing: &Drawing, view: &PixelCamera, rows: usize) {
        let colours = drawing.style.colours.map(|pair| pair.map(colour));
        let (width, first_row) = (self.band.width, self.band.first_row);
        for row in first_row..first_row + rows {
            let y = row as f64 + 0.5;
            let start = view.ray(0.5, y);
            let step = view.right / view.focal;
            for column in 0..width {
                let (pixel, ray) = (row * width + column, start + column as f64 * step);
                let sample = (row - first_row) * width + column;
                let (mut light, open) = match self.band.patch[sample] == [NONE; SAMPLES] {
                    true => (DVec3::ZERO, 1.0),
                    false => self.surfaces(drawing, &colours, view, sample, [column as f64 + 0.5, y]),
                };
                if open > 0.0 {
                    light += open * self.ground.light(view, pixel, ray, &self.key);
                }
                self.picture.rgb[3 * pixel..3 * pixel + 3].copy_from_slice(&self.film.expose(light));
            }
        }
    }

    /// Light from all surfaces in a pixel, and the share of the pixel that they leave open.
    fn surfaces(
        &self,
        drawing: &Drawing,
        colours: &[[DVec3; 2]; 8],
        view: &PixelCamera,
        pixel: usize,
        [x, y]: [f64; 2],
    ) -> (DVec3, f64) {
        let ray = view.ray(x, y);
        let (mut groups, mut count) = ([None::<Group>; SAMPLES], 0);
        let patches = &self.band.patch[pixel];
        let depths = &self.band.depth[pixel];
        // Cloth resting on the ground wins over it by this share of the depth.
        let floor = self.ground.depth(view, ray) as f32 * 0.996;
        let mut done = [false; SAMPLES];
        for s in 0..SAMPLES {
            if done[s] || patches[s] == NONE || depths[s] < floor {
                continue;
            }
            // All samples of this very patch at once, evaluated at their centroid.
            let (mut n, mut middle) = (0.0f32, [0.0f32; 2]);
            for t in s..SAMPLES {
                if patches[t] == patches[s] && depths[t] >= floor {
                    done[t] = true;
                    n += 1.0;
                    middle = [middle[0] + OFFSETS[t][0], middle[1] + OFFSETS[t][1]];
                }
            }
            let place = [x as f32 + middle[0] / n, y as f32 + middle[1] / n];
            let part = self.part(patches[s], depths[s], n as f64, place, drawing.style.wireframe);
            let home = groups[..count].iter_mut().flatten().find(|g| self.same_surface(g, &part));
            match home {
                Some(group) => group.absorb(&part),
                None => {
                    groups[count] = Some(part);
                    count += 1;
                }
            }
        }
        let (mut light, mut covered) = (DVec3::ZERO, 0.0);
        for group in groups[..count].iter().flatten() {
            light += group.samples * self.shade_group(group, drawing, colours, view);
            covered += group.samples;
        }
        (light / SAMPLES as f64, 1.0 - covered / SAMPLES as f64)
    }

    /// One patch's share of a pixel.
    fn part(&self, index: u32, depth: f32, samples: f64, place: [f32; 2], wireframe: f64) -> Group {
        let patch = &self.patches[index as usize];
        let corners = self.soup.faces[patch.face as usize].corners.map(|v| v as usize);
        let e = patch.edges.map(|e| at(e, place[0], place[1]).max(0.0) as f64);
        let sum = e[0] + e[1] + e[2];
        let b = if sum > 0.0 { e.map(|e| e / sum) } else { [1.0 / 3.0; 3] };
        let mix = |values: &[DVec3]| {
            b[0] * values[corners[0]] + b[1] * values[corners[1]] + b[2] * values[corners[2]]
        };
        let side = usize::from(patch.back);
        let open = (0..3).map(|k| b[k] * self.soup.open[corners[k]][side]).sum::<f64>();
        let mut wire: f64 = 0.0;
        if wireframe > 0.0 {
            // eᵢ is linear in the picture: its value over its slope is the distance to the edge in pixels.
            for (value, edge) in e.iter().zip(&patch.edges) {
                wire = wire.max(1.0 - value / (0.9 * edge[0].hypot(edge[1]) as f64));
            }
        }
        Group {
            samples,
            depth,
            patch: index,
            position: samples * mix(&self.soup.positions),
            normal: samples * mix(&self.soup.normals),
            open: samples * open,
            wire: samples * wire.max(0.0),
        }
    }

    fn same_surface(&self, a: &Group, b: &Group) -> bool {
        const SAME_DEPTH: f32 = 0.004;
        let (p, q) = (&self.patches[a.patch as usize], &self.patches[b.patch as usize]);
        let (f, g) = (&self.soup.faces[p.face as usize], &self.soup.faces[q.face as usize]);
        f.stuff == g.stuff
            && f.colour == g.colour
            && p.back == q.back
            && (a.depth - b.depth).abs() < SAME_DEPTH * a.depth
    }

    fn shade_group(
        &self,
        group: &Group,
        drawing: &Drawing,
        colours: &[[DVec3; 2]; 8],
        view: &PixelCamera,
    ) -> DVec3 {
        let patch = &self.patches[group.patch as usize];
        let face = &self.soup.faces[patch.face as usize];
        let position = group.position / group.samples;
        let to_eye = (view.eye - position).normalize_or_zero();
        let mut normal = group.normal.normalize_or_zero();
        if patch.back && face.stuff != Stuff::Strand {
            normal = -normal;
        }
        // Interpolated normals may turn away at silhouettes; bring them back to the edge of sight.
        let away = normal.dot(to_eye);
        if away < 0.0 {
            normal = (normal - away * to_eye).normalize_or_zero();
        }
        let lit = if drawing.style.shadows { self.key_light(position, normal, face.stuff) } else { 1.0 };
        let [a, _, c] = face.corners.map(|v| self.soup.positions[v as usize]);
        let fragment = Fragment {
            normal,
            to_eye,
            tangent: (c - a).normalize_or_zero(),
            albedo: colours[usize::from(face.colour) % 8]
                [usize::from(patch.back && face.stuff == Stuff::Cloth)],
            open: group.open / group.samples,
            lit,
            stuff: face.stuff,
        };
        let wire = drawing.style.wireframe.clamp(0.0, 1.0) * group.wire / group.samples;
        shade(&fragment, &self.lights) * (1.0 - if face.stuff == Stuff::Cloth { wire } else { 0.0 })
    }

    /// Share of key light at a surface, looked up a little off its lit side.
    fn key_light(&self, position: DVec3, normal: DVec3, stuff: Stuff) -> f64 {
        let cosine = normal.dot(self.lights.key);
        if stuff == Stuff::Solid && cosine < 0.0 {
            return 0.0;
        }
        let texel = self.key.texel();
        // Step towards the light across the texels that the filter averages; further on steep slopes.
        let slope = ((1.0 - cosine * cosine).max(0.0).sqrt() / cosine.abs().max(0.15)).min(3.0);
        let bias = texel * (1.5 + 2.0 * slope);
        let off = normal * (texel * 1.5 * cosine.signum());
        self.key.light::<2>(position + off, bias)
    }
}

//! Solids that move, and solids that are triangle meshes.

use super::body::Bodies;
use super::place::{Source, keys, rotation};
use super::text::{ShapeText, SolidMeshText, WalkerText};
use crate::collision::{Course, Frames, Motion};
use crate::mesh_io::{self, Mesh, Sequence};
use crate::render::STONE;
use crate::shapes::{Walk, Walker};
use crate::{Edit, Error, Event, State, bounds, shapes};
use glam::{DAffine3, DVec3};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A mesh in the scene's coordinates, and its frames if it has more than one.
struct Given {
    mesh: Mesh,
    frames: Option<Frames>,
}

impl SolidMeshText {
    /// Whether it is written in the scene itself.
    fn is_made(&self) -> bool {
        self.vertices.is_some() || self.faces.is_some() || self.lathe.is_some() || self.around.is_some()
    }
}

impl Source<'_> {
    /// How a solid moves that is given within a box \[m\]: about the middle of that, if it does not say about what.
    pub(super) fn motion(
        &self,
        text: &ShapeText,
        [low, high]: [DVec3; 2],
        start: usize,
    ) -> Result<Option<Motion>, Error> {
        let motion = match (&text.turn, &text.movement) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => {
                return Err(self.error(start, "both turn and move are given", "give one of them"));
            }
            (Some(turn), None) => {
                let axis = DVec3::from_array(turn.axis);
                if axis.try_normalize().is_none() {
                    return Err(self.bad(start, "axis", axis, "must be finite and have a length"));
                }
                let angles = turn.path.iter().map(|&[time, degrees]| (time, degrees.to_radians()));
                Motion::turning(DVec3::from_array(turn.about), axis, angles.collect())
            }
            (None, Some(movement)) => {
                let middle = 0.5 * (low + high);
                let middle = if middle.is_finite() { middle } else { DVec3::ZERO };
                Motion {
                    about: movement.about.map_or(middle, DVec3::from_array),
                    turns: keys(movement.turn.as_deref(), 1f64.to_radians()),
                    shifts: keys(movement.path.as_deref(), 1.0),
                }
            }
        };
        if motion.turns.is_empty() && motion.shifts.is_empty() {
            let remedy = "add path = [[time, x, y, z], ...] or turn = [[time, x, y, z], ...]";
            return Err(self.error(start, "this motion has no keys", remedy));
        }
        motion.validate().map_err(|e| self.refused(start, e))?;
        Ok(Some(motion))
    }

    /// Refuse keys that only meshes have, on a solid that is none.
    pub(super) fn no_mesh_keys(&self, text: &ShapeText, start: usize) -> Result<(), Error> {
        let given = [
            ("name", text.name.is_some()),
            ("thickness", text.thickness.is_some()),
            ("position", text.position.is_some()),
            ("rotation", text.rotation.is_some()),
            ("scale", text.scale.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                let remedy = "a solid with a shape has its place there, and a `margin`";
                Err(self.error(start, format!("{key} is given, which only a mesh has"), remedy))
            }
            None => Ok(()),
        }
    }

    /// The mesh of a solid, posed.
    fn solid_mesh(
        &self,
        text: &ShapeText,
        from: &SolidMeshText,
        [rate, duration]: [f64; 2],
        start: usize,
    ) -> Result<Given, Error> {
        if let Some(walker) = &from.walker {
            return self.walker(text, from, walker, duration, start);
        }
        let (mut mesh, frames) = match (&from.file, &from.sequence, &from.pc2) {
            (None, None, None) => (self.made(from, start)?, Vec::new()),
            (Some(_), _, _) | (_, Some(_), _) if from.is_made() => return Err(self.one_source(start)),
            (Some(file), None, None) => (self.mesh(file, start)?, Vec::new()),
            (file, Some(sequence), None) => {
                let mesh = file.as_ref().map(|file| self.mesh(file, start)).transpose()?;
                self.sequence("sequence", sequence, self.files(sequence, start)?, mesh, start)?
            }
            (Some(file), None, Some(cache)) => {
                let files = vec![self.inside("pc2", cache, start)?];
                self.sequence("pc2", cache, files, Some(self.mesh(file, start)?), start)?
            }
            _ => return Err(self.one_source(start)),
        };
        if frames.is_empty() && from.frames_per_second.is_some() {
            let remedy = "only a sequence has frames";
            return Err(self.bad(start, "frames_per_second", from.frames_per_second.unwrap_or(0.0), remedy));
        }
        let map = self.map(text, start)?;
        let upright = match from.up.as_deref() {
            None | Some("y") => |p: DVec3| p,
            Some("z") => |p: DVec3| DVec3::new(p.x, p.z, -p.y),
            Some(other) => return Err(self.bad(start, "up", format!("{other:?}"), "must be \"y\" or \"z\"")),
        };
        let place = |p: DVec3| map.transform_point3(upright(p));
        mesh.positions.iter_mut().for_each(|p| *p = place(*p));
        // Points inside, of tets, and points of no face are not part of the surface.
        let mut used = vec![false; mesh.positions.len()];
        mesh.triangles.as_flattened().iter().for_each(|&i| used[i as usize] = true);
        mesh.tets.clear();
        if mesh.triangles.is_empty() {
            let remedy = "it holds no triangles: export it with faces, not as points or lines";
            return Err(self.error(start, "the mesh of a solid has no faces", remedy));
        }
        let mesh = mesh.without_loose();
        if frames.is_empty() {
            return Ok(Given { mesh, frames: None });
        }
        let rate = self.positive(start, "frames_per_second", from.frames_per_second.unwrap_or(rate))?;
        let kept = |frame: Vec<DVec3>| frame.into_iter().zip(used.clone()).filter(|(_, used)| *used);
        let positions = frames.into_iter().flat_map(kept).map(|(p, _)| place(p)).collect();
        Ok(Given { mesh, frames: Some(Frames { rate, positions }) })
    }

    fn one_source(&self, start: usize) -> Error {
        let remedy = "give file, or sequence, or pc2 with the file of its mesh, or vertices and faces, or lathe, or walker";
        self.error(start, "a mesh needs one source", remedy)
    }

    /// The mesh that is written in the scene itself.
    fn made(&self, from: &SolidMeshText, start: usize) -> Result<Mesh, Error> {
        let (vertices, faces) = match (&from.vertices, &from.faces, &from.lathe) {
            (Some(vertices), Some(faces), None) if from.around.is_none() => {
                let vertices: Result<Vec<DVec3>, Error> =
                    vertices.iter().map(|&v| self.vector(start, "vertices", v)).collect();
                (vertices?, faces.clone())
            }
            (None, None, Some(profile)) => {
                shapes::lathe(profile, from.around.unwrap_or(48)).map_err(|e| self.refused(start, e))?
            }
            _ => return Err(self.one_source(start)),
        };
        if let Some(&vertex) = faces.as_flattened().iter().find(|&&i| i as usize >= vertices.len()) {
            let remedy = format!("there are {} vertices, counted from 0", vertices.len());
            return Err(self.bad(start, "faces", vertex, &remedy));
        }
        Ok(Mesh::from_parts(vertices, faces, Vec::new()))
    }

    /// Where a mesh goes that is given in its own coordinates.
    fn map(&self, text: &ShapeText, start: usize) -> Result<DAffine3, Error> {
        let scale = DVec3::splat(self.positive(start, "scale", text.scale.unwrap_or(1.0))?);
        let position = self.vector(start, "position", text.position.unwrap_or_default())?;
        self.vector(start, "rotation", text.rotation.unwrap_or_default())?;
        Ok(DAffine3::from_scale_rotation_translation(scale, rotation(text.rotation), position))
    }

    /// A person who walks for some time \[s\], posed.
    fn walker(
        &self,
        text: &ShapeText,
        from: &SolidMeshText,
        walker: &WalkerText,
        duration: f64,
        start: usize,
    ) -> Result<Given, Error> {
        let files = [&from.file, &from.sequence, &from.pc2, &from.up];
        if from.is_made() || files.iter().any(|key| key.is_some()) {
            let remedy =
                "a walker has no files and no other form: leave out all but walker and frames_per_second";
            return Err(self.error(start, "this mesh has two sources", remedy));
        }
        let usual = Walker::default();
        let walker = Walker {
            height: walker.height.unwrap_or(usual.height),
            speed: walker.speed.unwrap_or(usual.speed),
            turn: walker.turn.map_or(usual.turn, f64::to_radians),
        };
        let walk = walker.walk(duration, from.frames_per_second.unwrap_or(60.0));
        let Walk { mut positions, triangles, mut frames } = walk.map_err(|e| self.refused(start, e))?;
        let map = self.map(text, start)?;
        positions.iter_mut().chain(&mut frames.positions).for_each(|p| *p = map.transform_point3(*p));
        Ok(Given { mesh: Mesh::from_parts(positions, triangles, Vec::new()), frames: Some(frames) })
    }

    /// The files that a pattern or a folder names.
    fn files(&self, name: &str, start: usize) -> Result<Vec<PathBuf>, Error> {
        let path = self.inside("sequence", name, start)?;
        if !name.contains('*') && !path.is_dir() {
            let remedy = "name a folder, or put a * in place of the number, like \"walk_*.obj\"";
            return Err(self.bad(start, "sequence", format!("{name:?}"), remedy));
        }
        let files = mesh_io::numbered(&[path]).map_err(|e| self.told("sequence", name, start, e))?;
        let folder = self.folder.unwrap_or(Path::new("."));
        for file in files.iter().filter(|_| !self.trusted) {
            let own = file.strip_prefix(folder).unwrap_or(file).to_string_lossy();
            self.inside("sequence", &own, start)?;
        }
        Ok(files)
    }

    /// A mesh and its frames, in its own coordinates.
    fn sequence(
        &self,
        key: &str,
        name: &str,
        files: Vec<PathBuf>,
        mesh: Option<Mesh>,
        start: usize,
    ) -> Result<(Mesh, Vec<Vec<DVec3>>), Error> {
        let tell = |e| self.told(key, name, start, e);
        let sequence = Sequence::open(files, mesh).map_err(tell)?;
        let mut frames = Vec::with_capacity(sequence.len());
        for frame in 0..sequence.len() {
            let positions = sequence.positions(frame).map_err(tell)?;
            if let Some(i) = positions.iter().position(|p| !p.is_finite()) {
                let problem = format!("vertex {} is at {}", sequence.vertex(i as u32), positions[i]);
                return Err(tell(Error::file(
                    sequence.name(frame),
                    None,
                    problem,
                    "positions must be finite",
                )));
            }
            frames.push(positions);
        }
        let mesh = Mesh { positions: frames[0].clone(), ..sequence.mesh };
        Ok((mesh, frames))
    }
}

impl Bodies {
    /// Append a solid that is a mesh, `thickness` \[m\] thick if it does not say; how it moves, if it does. Of the scene it
    /// needs the frames per second \[1/s\] and the duration \[s\].
    pub fn add_solid(
        &mut self,
        source: &Source,
        text: &Spanned<ShapeText>,
        thickness: f64,
        times: [f64; 2],
    ) -> Result<Option<Event>, Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let Some(from) = &text.mesh else { return Ok(None) };
        let shapes = source.shapes(text, start)?.len();
        if shapes > 0 {
            let remedy =
                "give exactly one of ground, plane, sphere, box, cylinder, capsule, cone, torus, mesh";
            return Err(source.error(start, format!("this has {} shapes", shapes + 1), remedy));
        }
        if let Some(margin) = text.margin {
            return Err(source.bad(start, "margin", margin, "a mesh has a `thickness` instead"));
        }
        let Given { mesh, frames } = source.solid_mesh(text, from, times, start)?;
        let number = self.model.bodies.iter().filter(|body| body.solid).count();
        let name = text.name.clone().unwrap_or_else(|| format!("solid{number}"));
        self.check_name(source, &name, start)?;
        let (thickness, friction) = (text.thickness.unwrap_or(thickness), text.friction.unwrap_or(0.3));
        let model = shapes::prescribed(&name, &mesh.positions, &mesh.triangles, thickness, friction);
        let model = model.map_err(|e| source.refused(start, e))?;
        let motion = source.motion(text, bounds::extent(mesh.positions.iter().copied()), start)?;
        let course = match (motion, frames) {
            (Some(_), Some(_)) => {
                let remedy = "a mesh follows its sequence, or turn or move: leave one out";
                return Err(source.error(start, "this mesh moves in two ways", remedy));
            }
            (Some(motion), None) => Some(Course::Rigid(Box::new(motion))),
            (None, frames) => frames.map(|frames| Course::Frames(Box::new(frames))),
        };
        self.notes.extend(mesh.notes.iter().map(|note| format!("{name}: {note}")));
        self.mesh.append(&mesh, &name);
        let first = self.model.append(&model);
        let particles: Vec<usize> = (first..self.model.particles()).collect();
        let mut state = State::at_rest(&model);
        if let Some(course) = &course {
            let count = particles.len();
            state.positions = (0..count).map(|i| course.at((i, count), model.rest[i], 0.0)).collect();
            (0..count).for_each(|i| state.pin(i));
        }
        self.append_state(state);
        self.colours.push(STONE);
        let event = |course| Event { time: 0.0, edit: Edit::Follow { particles, course } };
        let event = course.map(event);
        event.iter().try_for_each(|e| e.check(&self.model)).map_err(|e| source.refused(start, e))?;
        Ok(event)
    }
}

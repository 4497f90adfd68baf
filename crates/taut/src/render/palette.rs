//! A palette of at most 255 colours for a picture, and the nearest of them to any colour.
//!
//! Median cut: start with one box around all colours, halve the box with the greatest spread (population ×
//! variance along its longest axis) at its mean until there are enough, then let each colour settle as the mean
//! of those nearest to it (three rounds of k-means); one in sixteen is kept for the worst served colours. Populations enter by their square root, so that a large calm
//! backdrop does not starve the folds. Not handled: perceptual colour spaces.

/// A weighted colour of the histogram.
type Entry = ([f32; 3], f32);

/// Colours and a lazily filled table of nearest ones.
#[derive(Debug)]
pub(super) struct Palette {
    pub colours: Vec<[u8; 3]>,
    /// By the upper 7 bits of each channel; `EMPTY` until asked.
    nearest: Vec<u16>,
}

const EMPTY: u16 = u16::MAX;

/// Colours of the picture at 6 bits a channel, in a fixed order.
fn histogram(rgb: &[u8]) -> Vec<Entry> {
    let mut sums = vec![[0u32; 4]; 1 << 18];
    for c in rgb.chunks_exact(3) {
        let key = (c[0] as usize >> 2) << 12 | (c[1] as usize >> 2) << 6 | c[2] as usize >> 2;
        let sum = &mut sums[key];
        *sum = [sum[0] + c[0] as u32, sum[1] + c[1] as u32, sum[2] + c[2] as u32, sum[3] + 1];
    }
    let mean = |s: &[u32; 4]| {
        let n = s[3] as f32;
        ([s[0] as f32 / n, s[1] as f32 / n, s[2] as f32 / n], n.sqrt())
    };
    sums.iter().filter(|s| s[3] > 0).map(mean).collect()
}

/// Weighted mean, and the axis of greatest variance with that variance times the weight.
fn spread(entries: &[Entry]) -> ([f32; 3], usize, f32) {
    let (mut weight, mut sum, mut squares) = (0.0f32, [0.0f32; 3], [0.0f32; 3]);
    for (c, w) in entries {
        weight += w;
        for k in 0..3 {
            sum[k] += w * c[k];
        }
    }
    let mean = sum.map(|s| s / weight.max(f32::MIN_POSITIVE));
    for (c, w) in entries {
        for k in 0..3 {
            squares[k] += w * (c[k] - mean[k]) * (c[k] - mean[k]);
        }
    }
    let axis = (0..3).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    // One colour has no spread, whatever rounding says.
    (mean, axis, if entries.len() > 1 { squares[axis] } else { 0.0 })
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    // Green counts most to the eye, blue least.
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    2.0 * d[0] * d[0] + 4.0 * d[1] * d[1] + d[2] * d[2]
}

fn closest(colours: &[[f32; 3]], c: [f32; 3]) -> usize {
    let mut best = (0, f32::INFINITY);
    for (i, &p) in colours.iter().enumerate() {
        let d = distance(p, c);
        if d < best.1 {
            best = (i, d);
        }
    }
    best.0
}

impl Palette {
    /// The best `most` (at least one) colours found for these pixels.
    pub fn new(rgb: &[u8], most: usize) -> Self {
        let mut entries = histogram(rgb);
        let mut boxes = vec![(spread(&entries), 0..entries.len())];
        while boxes.len() < (most - most / 16).max(1) {
            let widest = |best: usize, i: usize| if boxes[i].0.2 > boxes[best].0.2 { i } else { best };
            let pick = (0..boxes.len()).fold(0, widest);
            let ((mean, axis, worth), range) = boxes[pick].clone();
            if worth <= 0.0 {
                break;
            }
            let part = &mut entries[range.clone()];
            part.sort_by(|a, b| a.0[axis].total_cmp(&b.0[axis]));
            let cut = part.partition_point(|e| e.0[axis] < mean[axis]).clamp(1, part.len() - 1);
            let middle = range.start + cut;
            boxes[pick] = (spread(&entries[range.start..middle]), range.start..middle);
            boxes.push((spread(&entries[middle..range.end]), middle..range.end));
        }
        let mut colours: Vec<[f32; 3]> = boxes.iter().map(|b| b.0.0).collect();
        for _ in 0..3 {
            settle(&mut colours, &entries);
        }
        add_farthest(&mut colours, &entries, most);
        let colours = colours.iter().map(|c| c.map(|x| x.round() as u8)).collect();
        Palette { colours, nearest: vec![EMPTY; 1 << 21] }
    }

    /// Index of the nearest colour.
    pub fn nearest(&mut self, c: [u8; 3]) -> u8 {
        let key = (c[0] as usize >> 1) << 14 | (c[1] as usize >> 1) << 7 | c[2] as usize >> 1;
        if self.nearest[key] == EMPTY {
            let [r, g, b] = c.map(|x| (x & !1) as i32);
            let mut best = (0, i32::MAX);
            for (i, p) in self.colours.iter().enumerate() {
                let [dr, dg, db] =
                    [2 * (p[0] as i32 - r) - 1, 2 * (p[1] as i32 - g) - 1, 2 * (p[2] as i32 - b) - 1];
                let d = 2 * dr * dr + 4 * dg * dg + db * db;
                if d < best.1 {
                    best = (i, d);
                }
            }
            self.nearest[key] = best.0 as u16;
        }
        self.nearest[key] as u8
    }
}

/// Fill up to `most` colours with the worst served entries, so that rare colours are not lost.
fn add_farthest(colours: &mut Vec<[f32; 3]>, entries: &[Entry], most: usize) {
    let mut apart: Vec<f32> = entries.iter().map(|e| distance(colours[closest(colours, e.0)], e.0)).collect();
    while colours.len() < most {
        let farther = |best: usize, i: usize| if apart[i] > apart[best] { i } else { best };
        let worst = (0..entries.len()).fold(0, farther);
        let Some(&(colour, _)) = entries.get(worst).filter(|_| apart[worst] > 0.0) else { return };
        colours.push(colour);
        for (apart, e) in apart.iter_mut().zip(entries) {
            *apart = apart.min(distance(colour, e.0));
        }
    }
}

/// Move each colour to the mean of the entries nearest to it.
fn settle(colours: &mut [[f32; 3]], entries: &[Entry]) {
    let mut sums = vec![[0.0f32; 4]; colours.len()];
    for &(c, w) in entries {
        let sum = &mut sums[closest(colours, c)];
        *sum = [sum[0] + w * c[0], sum[1] + w * c[1], sum[2] + w * c[2], sum[3] + w];
    }
    for (colour, s) in colours.iter_mut().zip(&sums).filter(|(_, s)| s[3] > 0.0) {
        *colour = [s[0] / s[3], s[1] / s[3], s[2] / s[3]];
    }
}

//! A small plot maker: panels of curves over a common horizontal axis, laid out once as lines and words, written as
//! SVG for browsers ([`svg`]) or drawn as a picture ([`raster`]).

mod raster;
mod svg;

/// One curve.
pub struct Curve {
    /// Where it is drawn from and to; what is not finite is a gap.
    pub values: Vec<f64>,
    /// Whether its last point is marked by a cross.
    pub broken: bool,
}

/// One panel, a curve per name.
pub struct Panel {
    /// What is drawn, with its unit.
    pub title: &'static str,
    pub logarithmic: bool,
    pub curves: Vec<Curve>,
}

/// What a plot is made of; lengths in SVG pixels, from the top left.
enum Mark {
    Line {
        points: Vec<[f64; 2]>,
        colour: u32,
        width: f64,
        dashed: bool,
    },
    /// `anchor` is the part of the words that is left of the place: 0, ½ or 1.
    Words {
        place: [f64; 2],
        anchor: f64,
        size: f64,
        words: String,
    },
}

/// A finished plot.
pub struct Plot {
    width: f64,
    height: f64,
    marks: Vec<Mark>,
}

/// Colours that people of every kind of sight can tell apart (Okabe and Ito), without the yellow.
const COLOURS: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x222222];
const INK: u32 = 0x222222;
const GREY: u32 = 0xdddddd;
/// Size of a panel with its margins, and of the margins: left, right, top, bottom.
const SIZE: [f64; 2] = [460.0, 260.0];
const MARGIN: [f64; 4] = [70.0, 18.0, 34.0, 42.0];
/// Height of the title.
const TITLE: f64 = 30.0;
/// Decades a logarithmic panel shows at most: below, everything is as good as nothing.
const DECADES: f64 = 18.0;
/// How many times the height of the middle curve a plain panel shows.
const CUT: f64 = 4.0;

/// The whole plot: panels two abreast, the names in the place after the last.
pub fn plot(title: &str, across: &str, names: &[String], panels: &[Panel]) -> Plot {
    let full = (panels.len() / 2) as f64 * SIZE[1] + TITLE;
    // The last row has a panel too, or the names alone.
    let last =
        if panels.len() % 2 == 1 { SIZE[1] } else { SIZE[1].min(24.0 * names.len() as f64 + MARGIN[2]) };
    let mut plot = Plot { width: 2.0 * SIZE[0], height: full + last, marks: Vec::new() };
    plot.words([SIZE[0], 22.0], 0.5, 16.0, title);
    let corner = |i: usize| [(i % 2) as f64 * SIZE[0], (i / 2) as f64 * SIZE[1] + TITLE];
    for (i, panel) in panels.iter().enumerate() {
        plot.panel(corner(i), panel, across);
    }
    let [x, y] = corner(panels.len());
    let apart = (SIZE[1] - MARGIN[2]) / names.len().max(1) as f64;
    for (i, name) in names.iter().enumerate() {
        let (x, y) = (x + MARGIN[1], y + MARGIN[2] + apart.min(24.0) * i as f64);
        plot.line(vec![[x, y], [x + 36.0, y]], COLOURS[i % COLOURS.len()], 3.0, dashed(i));
        plot.words([x + 46.0, y + 4.0], 0.0, fitting(name, SIZE[0] - MARGIN[1] - 46.0).min(apart), name);
    }
    plot
}

/// The larger of two sizes of letters at which words have room. Drawn as dots, letters are 9 and 6 pixels wide.
fn fitting(words: &str, room: f64) -> f64 {
    if 9.0 * words.chars().count() as f64 <= room { 13.0 } else { 11.0 }
}

/// Past the last colour curves are told apart by dashes.
fn dashed(i: usize) -> bool {
    i >= COLOURS.len()
}

impl Plot {
    fn line(&mut self, points: Vec<[f64; 2]>, colour: u32, width: f64, dashed: bool) {
        self.marks.push(Mark::Line { points, colour, width, dashed });
    }

    fn words(&mut self, place: [f64; 2], anchor: f64, size: f64, words: &str) {
        self.marks.push(Mark::Words { place, anchor, size, words: words.into() });
    }

    fn panel(&mut self, corner: [f64; 2], panel: &Panel, across: &str) {
        let [left, right, top, bottom] = MARGIN;
        let (width, height) = (SIZE[0] - left - right, SIZE[1] - top - bottom);
        let (left, top) = (corner[0] + left, corner[1] + top);
        let frames = panel.curves.iter().map(|c| c.values.len()).max().unwrap_or(0).max(2);
        let (low, high) = range(panel);
        let x = |i: f64| left + width * (i - 1.0) / (frames - 1) as f64;
        let scale = |v: f64| if panel.logarithmic { v.max(f64::MIN_POSITIVE).log10() } else { v };
        let y = |v: f64| top + height * (1.0 - ((v - low) / (high - low)).clamp(0.0, 1.0));
        let above = |c: &Curve| c.values.iter().any(|&v| v.is_finite() && scale(v) > high);
        let cut = if panel.curves.iter().any(above) { ", cut" } else { "" };
        let title = format!("{}{cut}", panel.title);
        self.words([left, top - 12.0], 0.0, fitting(&title, width), &title);
        self.words([left + width / 2.0, corner[1] + SIZE[1] - 8.0], 0.5, 12.0, across);
        for tick in ticks(low, high, panel.logarithmic) {
            let label = if panel.logarithmic { format!("1e{tick}") } else { short(tick) };
            self.line(vec![[left, y(tick)], [left + width, y(tick)]], GREY, 1.0, false);
            self.words([left - 6.0, y(tick) + 4.0], 1.0, 11.0, &label);
        }
        for tick in ticks(1.0, frames as f64, false).into_iter().filter(|t| t.fract() == 0.0) {
            self.line(vec![[x(tick), top + height], [x(tick), top + height + 5.0]], INK, 1.0, false);
            self.words([x(tick), top + height + 18.0], 0.5, 11.0, &short(tick));
        }
        self.line(vec![[left, top], [left, top + height], [left + width, top + height]], INK, 1.0, false);
        for (i, curve) in panel.curves.iter().enumerate() {
            let place = |n: usize, v: f64| [x(n as f64 + 1.0), y(scale(v))];
            self.curve(curve, COLOURS[i % COLOURS.len()], dashed(i), place);
        }
    }

    fn curve(&mut self, curve: &Curve, colour: u32, dashed: bool, place: impl Fn(usize, f64) -> [f64; 2]) {
        let mut points = Vec::new();
        for (n, &v) in curve.values.iter().enumerate() {
            if v.is_finite() {
                points.push(place(n, v));
            } else {
                self.line(std::mem::take(&mut points), colour, 1.6, dashed);
            }
        }
        self.line(points, colour, 1.6, dashed);
        let last = curve.values.iter().enumerate().rfind(|(_, v)| v.is_finite());
        if let Some((n, &v)) = last.filter(|_| curve.broken) {
            let [x, y] = place(n, v);
            for side in [4.0, -4.0] {
                self.line(vec![[x - 4.0, y - side], [x + 4.0, y + side]], colour, 1.6, false);
            }
        }
    }
}

/// Lowest and highest value shown, as drawn (logarithms where they are). What leaves the scale of most curves by far is
/// cut off: one that explodes shall not flatten the rest.
fn range(panel: &Panel) -> (f64, f64) {
    let finite = |c: &Curve| c.values.iter().copied().filter(|v| v.is_finite()).collect::<Vec<f64>>();
    let whole: Vec<f64> = panel.curves.iter().filter(|c| !c.broken).flat_map(finite).collect();
    let mut values = if whole.is_empty() { panel.curves.iter().flat_map(finite).collect() } else { whole };
    if panel.logarithmic {
        values.retain(|&v| v > 0.0);
        values.iter_mut().for_each(|v| *v = v.log10());
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match (low <= high, panel.logarithmic) {
        (false, _) => (0.0, 1.0),
        (true, true) => (low.floor().max(high.ceil() - DECADES), high.ceil().max(low.floor() + 1.0)),
        (true, false) => {
            let ends =
                |c: &Curve| c.values.iter().copied().filter(|v| v.is_finite()).fold((low, low), spread);
            let mut spans: Vec<(f64, f64)> = panel.curves.iter().filter(|c| !c.broken).map(ends).collect();
            spans.sort_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
            let usual = spans.get(spans.len() / 2).map_or(high - low, |s| s.1 - s.0);
            let high = if usual > 0.0 { high.min(low + CUT * usual) } else { high };
            let spare =
                if high > low { 0.06 * (high - low) } else { 0.5 * high.abs().max(f64::MIN_POSITIVE) };
            (low - spare, high + spare)
        }
    }
}

fn spread((low, high): (f64, f64), v: f64) -> (f64, f64) {
    (low.min(v), high.max(v))
}

/// Round numbers from low to high, about five; whole powers of ten on a logarithmic axis.
fn ticks(low: f64, high: f64, logarithmic: bool) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= rough).unwrap_or(rough);
    let step = if logarithmic { step.ceil().max(1.0) } else { step };
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|t| *t <= high + 1e-9 * step).take(100).collect()
}

/// A number without the rounding of its sum of steps.
fn short(v: f64) -> String {
    match v.abs() {
        a if a != 0.0 && !(1e-3..1e6).contains(&a) => format!("{v:.0e}"),
        _ => format!("{}", (v * 1e6).round() / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0, false), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(-16.0, 0.0, true), [-15.0, -10.0, -5.0, 0.0]);
        assert_eq!(short(0.6000000000000001), "0.6");
        assert_eq!(short(2e-9), "2e-9");
    }

    #[test]
    fn odd_values_draw_nothing_odd() {
        for values in
            [vec![], vec![0.0], vec![f64::NAN, f64::INFINITY, 1.0], vec![-1.0, 0.0, 1e300], vec![3.0; 5]]
        {
            for logarithmic in [false, true] {
                let curves = vec![Curve { values: values.clone(), broken: true }];
                let panels = [Panel { title: "a < b", logarithmic, curves }];
                let plot = plot("t & u", "frame", &["one".into()], &panels);
                let (svg, picture) = (plot.svg(), plot.picture());
                assert!(picture.rgb.contains(&255) && picture.rgb.contains(&0x22), "{values:?}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
            }
        }
    }

    #[test]
    fn every_name_has_room_in_both_forms() {
        let names: Vec<String> = (0..15).map(|i| format!("method {i}")).collect();
        let plot = plot("", "", &names, &[]);
        for mark in &plot.marks {
            let Mark::Words { place, .. } = mark else { continue };
            assert!(place[1] < plot.height, "{place:?}");
        }
        assert_eq!(plot.svg().matches("method").count(), 15);
        for words in
            ["conjugate_gradient, 10 iterations, midpoint (diverged in frame 12)", "xpbd, 10 iterations"]
        {
            let room = SIZE[0] - MARGIN[1] - 46.0;
            let wide = if fitting(words, room) > 12.0 { 9.0 } else { 6.0 };
            assert!(wide * words.len() as f64 <= room, "{words}");
        }
    }
}

//! A small plot writer: panels of curves over a common horizontal axis, as one SVG that any browser shows.

use std::fmt::Write;

/// One curve.
pub struct Curve {
    /// Where it is drawn from and to; what is not finite is a gap.
    pub values: Vec<f64>,
    /// Whether its last point is marked by a cross.
    pub broken: bool,
}

/// One plot, a curve per name.
pub struct Panel {
    /// What is drawn, with its unit.
    pub title: &'static str,
    pub logarithmic: bool,
    pub curves: Vec<Curve>,
}

/// Colours that people of every kind of sight can tell apart (Okabe and Ito), without the yellow.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222"];
/// Size of a panel with its margins, and of the margins: left, right, top, bottom [pixels].
const SIZE: (f64, f64) = (460.0, 260.0);
const MARGIN: [f64; 4] = [70.0, 18.0, 34.0, 42.0];
/// Decades a logarithmic panel shows at most: below, everything is as good as nothing.
const DECADES: f64 = 18.0;

/// How many times the height of the middle curve a plain panel shows.
const CUT: f64 = 4.0;

/// The whole picture: panels two abreast, the names in the place after the last.
pub fn svg(title: &str, across: &str, names: &[String], panels: &[Panel]) -> String {
    let rows = panels.len() / 2 + 1;
    let (width, height) = (2.0 * SIZE.0, rows as f64 * SIZE.1 + 30.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    text(&mut out, [width / 2.0, 22.0], "middle", 16, title);
    let place = |i: usize| ((i % 2) as f64 * SIZE.0, (i / 2) as f64 * SIZE.1 + 30.0);
    for (i, panel) in panels.iter().enumerate() {
        let (x, y) = place(i);
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, panel, across);
        out.push_str("</g>\n");
    }
    let (x, y) = place(panels.len());
    for (i, name) in names.iter().enumerate() {
        let (x, y) = (x + MARGIN[0], y + MARGIN[2] + 24.0 * i as f64);
        let colour = COLOURS[i % COLOURS.len()];
        let _ =
            writeln!(out, "<path d=\"M{x} {y}h36\" stroke=\"{colour}\" stroke-width=\"3\"{}/>", dashes(i));
        text(&mut out, [x + 46.0, y + 4.0], "start", 13, name);
    }
    out.push_str("</svg>\n");
    out
}

/// Past the last colour curves are told apart by dashes.
fn dashes(i: usize) -> &'static str {
    if i < COLOURS.len() { "" } else { " stroke-dasharray=\"5 4\"" }
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, size: usize, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{words}</text>"
    );
}

fn draw(out: &mut String, panel: &Panel, across: &str) {
    let [left, right, top, bottom] = MARGIN;
    let (width, height) = (SIZE.0 - left - right, SIZE.1 - top - bottom);
    let frames = panel.curves.iter().map(|c| c.values.len()).max().unwrap_or(0).max(2);
    let (low, high) = range(panel);
    let x = |i: f64| left + width * (i - 1.0) / (frames - 1) as f64;
    let scale = |v: f64| if panel.logarithmic { v.max(f64::MIN_POSITIVE).log10() } else { v };
    let y = |v: f64| top + height * (1.0 - ((v - low) / (high - low)).clamp(0.0, 1.0));
    text(out, [left, top - 12.0], "start", 13, panel.title);
    text(out, [left + width / 2.0, SIZE.1 - 8.0], "middle", 12, across);
    for tick in ticks(low, high, panel.logarithmic) {
        let label = if panel.logarithmic { format!("1e{tick}") } else { short(tick) };
        let _ = writeln!(out, "<path d=\"M{left} {:.1}h{width}\" stroke=\"#ddd\"/>", y(tick));
        text(out, [left - 6.0, y(tick) + 4.0], "end", 11, &label);
    }
    for tick in ticks(1.0, frames as f64, false).into_iter().filter(|t| t.fract() == 0.0) {
        let _ = writeln!(out, "<path d=\"M{:.1} {:.1}v5\" stroke=\"#222\"/>", x(tick), top + height);
        text(out, [x(tick), top + height + 18.0], "middle", 11, &short(tick));
    }
    let _ = writeln!(out, "<path d=\"M{left} {top}v{height}h{width}\" fill=\"none\" stroke=\"#222\"/>");
    for (i, curve) in panel.curves.iter().enumerate() {
        let mut path = String::new();
        let mut pen_down = false;
        for (n, &v) in curve.values.iter().enumerate() {
            if v.is_finite() {
                let to = if pen_down { 'L' } else { 'M' };
                let _ = write!(path, "{to}{:.1} {:.1}", x(n as f64 + 1.0), y(scale(v)));
            }
            pen_down = v.is_finite();
        }
        let style = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"", COLOURS[i % COLOURS.len()]);
        let _ = writeln!(out, "<path d=\"{path}\" {style}{}/>", dashes(i));
        let last = curve.values.iter().enumerate().rfind(|(_, v)| v.is_finite());
        if let Some((n, &v)) = last.filter(|_| curve.broken) {
            let (x, y) = (x(n as f64 + 1.0), y(scale(v)));
            let _ = writeln!(out, "<path d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\" {style}/>", x - 4.0, y - 4.0);
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
                let svg = svg("t & u", "frame", &["one".into()], &panels);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
            }
        }
    }
}

//! The plot as SVG, which any browser shows.

use super::{Mark, Plot};
use std::fmt::Write;

impl Plot {
    /// The whole file.
    pub fn svg(&self) -> String {
        let Plot { width, height, marks } = self;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\" fill=\"#222\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        marks.iter().for_each(|mark| element(&mut out, mark));
        out.push_str("</svg>\n");
        out
    }
}

fn element(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Line { points, colour, width, dashed } => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
            let dashes = if *dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"#{colour:06x}\" stroke-width=\"{width}\"{dashes}/>",
                points.join(" ")
            )
        }
        Mark::Words { place: [x, y], anchor, size, words } => {
            let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let anchor = ["start", "middle", "end"][(2.0 * anchor) as usize];
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size:.0}\">{words}</text>"
            )
        }
    };
}

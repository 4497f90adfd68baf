//! Which springs of a body without triangles are worth drawing.
//!
//! Bend and shear springs brace what shorter springs already connect; drawn, they double every line. A spring
//! a–b braces if some particle c is joined to both a and b by springs that are shorter than a–b at rest.

use crate::Spring;

/// Ends of the springs that do not brace, in order.
pub(crate) fn unbraced(springs: &[Spring]) -> Vec<[u32; 2]> {
    let last = springs.iter().flat_map(|s| s.ends).max().map_or(0, |i| i as usize + 1);
    let mut neighbours: Vec<Vec<(u32, f64)>> = vec![Vec::new(); last];
    for s in springs {
        let (a, b) = s.ab();
        neighbours[a].push((b as u32, s.rest_length));
        neighbours[b].push((a as u32, s.rest_length));
    }
    let braces = |s: &Spring| {
        let near = |end: usize| neighbours[end].iter().filter(|(_, r)| *r < s.rest_length).map(|(c, _)| c);
        let (a, b) = s.ab();
        near(a).any(|c| near(b).any(|d| c == d))
    };
    springs.iter().filter(|s| !braces(s)).map(|s| s.ends).collect()
}

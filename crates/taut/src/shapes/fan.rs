//! The triangles around a vertex, in order.

/// The other corners of a triangle, in its sense.
pub(crate) fn beside([a, b, c]: [u32; 3], corner: u32) -> [u32; 2] {
    match corner {
        corner if corner == a => [b, c],
        corner if corner == b => [c, a],
        _ => [a, b],
    }
}

/// Triangles around a vertex that share edges, in order.
#[derive(Debug, Default)]
pub(crate) struct Fan {
    /// Their numbers.
    pub triangles: Vec<usize>,
    /// The other ends of the edges from the vertex: triangle k is between spokes k and k + 1. As many as there are
    /// triangles where the fan goes all the way round, else one more.
    pub spokes: Vec<u32>,
}

impl Fan {
    /// Whether it goes all the way round.
    pub fn is_closed(&self) -> bool {
        self.spokes.len() == self.triangles.len()
    }
}

/// The fans of the triangles at a vertex, each given with its two other corners.
pub(crate) fn fans(around: &[(usize, [u32; 2])]) -> Vec<Fan> {
    let sheets = |spoke: u32| around.iter().filter(|(_, ends)| ends.contains(&spoke)).count();
    let rim = |ends: &[u32; 2]| ends.iter().copied().find(|&spoke| sheets(spoke) != 2);
    let mut left = vec![true; around.len()];
    let mut found = Vec::new();
    // From the rims first; what is left then goes all the way round.
    let starts = (0..around.len()).map(|k| (k, rim(&around[k].1)));
    let starts =
        starts.clone().filter(|(_, rim)| rim.is_some()).chain(starts.filter(|(_, rim)| rim.is_none()));
    for (start, rim) in starts {
        let (mut next, mut fan) = (left[start].then_some(start), Fan::default());
        let mut spoke = rim.unwrap_or(around[start].1[0]);
        while let Some(k) = next {
            left[k] = false;
            fan.triangles.push(around[k].0);
            fan.spokes.push(spoke);
            spoke = around[k].1[usize::from(around[k].1[0] == spoke)];
            let beyond = |&k: &usize| left[k] && around[k].1.contains(&spoke) && sheets(spoke) == 2;
            next = (0..around.len()).find(beyond);
        }
        if !fan.triangles.is_empty() {
            if spoke != fan.spokes[0] {
                fan.spokes.push(spoke);
            }
            found.push(fan);
        }
    }
    found
}

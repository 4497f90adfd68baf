//! Vertices that belong to no triangle and no tet: points of a modeller's construction, centres of circles, forgotten
//! bits. They have no mass and nothing holds them, so they are not simulated.

use super::Mesh;

impl Mesh {
    /// Leave out what belongs to no element, and note how much that was. The file's own vertices stay as many as they
    /// were: those left out are written where the next one is, seen by no face.
    pub fn without_loose(mut self) -> Self {
        let mut kept = vec![false; self.positions.len()];
        let corners = self.triangles.as_flattened().iter().chain(self.tets.as_flattened());
        corners.for_each(|&i| kept[i as usize] = true);
        let loose = kept.iter().filter(|&&k| !k).count();
        // Points alone are another mistake.
        if loose == 0 || loose == kept.len() {
            return self;
        }
        let first = self.original.vertices.iter().position(|&w| !kept[w as usize]).unwrap_or(0);
        self.notes
            .push(format!("vertices without a face are left out: {loose}, the first is vertex {first}"));
        let mut next = 0;
        let number = |&k: &bool| {
            next += u32::from(k);
            next - u32::from(k)
        };
        let numbers: Vec<u32> = kept.iter().map(number).collect();
        let renumber = |i: u32| numbers[i as usize];
        self.triangles.iter_mut().for_each(|t| *t = t.map(renumber));
        self.tets.iter_mut().for_each(|t| *t = t.map(renumber));
        let last = next - 1;
        self.original.vertices.iter_mut().for_each(|w| *w = renumber(*w).min(last));
        let mut keep = kept.iter();
        self.positions.retain(|_| *keep.next().expect("one each"));
        for values in self.attributes.values_mut() {
            let mut keep = kept.iter();
            values.retain(|_| *keep.next().expect("one each"));
        }
        self
    }
}

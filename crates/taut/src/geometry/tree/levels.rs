//! The tree above the leaves: eight children to a node, all leaves at one depth, no pointers.
//!
//! Level 0 has the boxes of the leaves, eight to a block; entry e of level k + 1 is the box around block e of level k.
//! The last level is one block. Only the order of the leaves says which are together, and only that is found anew when
//! the tree is worn.

use super::boxes::{ALL, Block, Ends, LANES, One, bits};
use super::leaves::{Leaves, around, bisect};
use crate::kernel::Simd;
use glam::DVec3;

#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The leaf of each entry of level 0, and the other way round.
    order: Vec<u32>,
    place: Vec<u32>,
    levels: Vec<Vec<Block>>,
    /// For each block which of its entries hold nothing but prescribed particles.
    held: Vec<Vec<u32>>,
    /// Pairs of blocks yet to be looked at: their level, then the blocks.
    stack: Vec<[u32; 3]>,
}

impl Levels {
    /// Put leaves that are near each other into one block, and near blocks into one block.
    pub fn build(&mut self, centres: &[DVec3]) {
        let leaves = centres.len();
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..leaves as u32);
        // Cutting at powers of two gives every block of every level entries that are side by side.
        let first = |n: usize| (n - 1).checked_ilog2().map_or(1, |power| 1 << power);
        bisect(&mut order, LANES, &first, &|leaf| centres[leaf as usize], &mut |_| ());
        self.place.resize(leaves, 0);
        order.iter().zip(0..).for_each(|(&leaf, place)| self.place[leaf as usize] = place);
        self.order = order;
        if self.levels.is_empty() {
            let mut entries = leaves;
            while entries > 1 || self.levels.is_empty() {
                entries = entries.div_ceil(LANES);
                self.levels.push(vec![Block::EMPTY; entries]);
            }
            self.held = self.levels.iter().map(|level| vec![0; level.len()]).collect();
        }
    }

    /// The block and the lane that hold the box of a leaf.
    #[inline(always)]
    pub fn leaf(&self, leaf: usize) -> (&Block, usize) {
        let place = self.place[leaf] as usize;
        (&self.levels[0][place / LANES], place % LANES)
    }

    /// All boxes, from the particles.
    #[inline(always)]
    pub fn refit<V: Simd<f32>>(&mut self, leaves: &Leaves, particles: &[Ends]) {
        for (entry, &leaf) in self.order.iter().enumerate() {
            let [low, high] = around::<V>(leaves.particles(leaf as usize), particles);
            self.levels[0][entry / LANES].set(entry % LANES, low, high);
        }
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            for (entry, block) in below[level - 1].iter().enumerate() {
                let [low, high] = block.around();
                above[0][entry / LANES].set(entry % LANES, low, high);
            }
        }
    }

    /// Say which leaves hold nothing but prescribed particles. Lanes without an entry count as such.
    pub fn hold(&mut self, leaf: impl Fn(usize) -> bool) {
        for level in 0..self.levels.len() {
            self.held[level].fill(ALL);
            let entries = if level == 0 { self.order.len() } else { self.levels[level - 1].len() };
            for entry in 0..entries {
                let held = match level {
                    0 => leaf(self.order[entry] as usize),
                    _ => self.held[level - 1][entry] == ALL,
                };
                self.held[level][entry / LANES] &= !(u32::from(!held) << (entry % LANES));
            }
        }
    }

    /// Every pair of leaves, the lower first, and every leaf with itself, whose boxes are not apart by more than `reach`,
    /// but not two that are both held. Returns how many tests of one box against eight that took.
    #[inline(always)]
    pub fn pairs<V: Simd<f32>>(&mut self, reach: f32, found: &mut Vec<[u32; 2]>) -> u64 {
        let (reach, mut tests) = (V::splat(reach), 0);
        found.clear();
        let mut stack = std::mem::take(&mut self.stack);
        stack.push([self.levels.len() as u32 - 1, 0, 0]);
        while let Some([level, a, b]) = stack.pop() {
            let (k, a, b) = (level as usize, a as usize, b as usize);
            let (blocks, held) = (&self.levels[k], &self.held[k]);
            // Those entries of a that are near the box around b.
            let mut first = ALL;
            if a != b {
                first = One::<V>::of(&self.levels[k + 1][b / LANES], b % LANES).near(&blocks[a], reach);
                tests += 1;
            }
            for i in bits(first) {
                let mut second = One::<V>::of(&blocks[a], i).near(&blocks[b], reach);
                tests += 1;
                if held[a] >> i & 1 == 1 {
                    second &= !held[b];
                }
                if a == b {
                    second &= ALL << i;
                }
                for j in bits(second) {
                    let (i, j) = (a * LANES + i, b * LANES + j);
                    if k == 0 {
                        let (first, second) = (self.order[i], self.order[j]);
                        found.push([first.min(second), first.max(second)]);
                    } else {
                        stack.push([level - 1, i as u32, j as u32]);
                    }
                }
            }
        }
        self.stack = stack;
        tests
    }
}

//! Four at a time, with any instructions: each gets the bits that it gets alone.

use super::lanes::{Matrices, lane, lanes};
use super::membrane::membranes;
use super::rotation::{Solid, Unique, rotation, rotations};
use crate::kernel::{Kernel, Simd, Work, run};
use crate::random::Random;
use glam::DMat3;

type Four = [DMat3; 4];

/// Rotations of four solids, of four membranes.
struct Both<'a>(&'a Four, &'a Four);

impl Work<f64> for Both<'_> {
    type Output = [Four; 2];
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> [Four; 2] {
        let flat = self.0.map(|f| DMat3 { z_axis: glam::DVec3::ZERO, ..f });
        let four = |m: Matrices<V>| [0, 1, 2, 3].map(|i| lane::<V>(&m, i));
        let solids = rotations::<V>(lanes::<V>(self.0), |i| self.1[i]);
        [four(solids), four(membranes::<V>(lanes::<V>(&flat), |i| self.1[i]))]
    }
}

#[test]
fn lanes_do_not_see_each_other() {
    let mut random = Random(1);
    let mut any = || DMat3::from_cols(random.vector(), random.vector(), random.vector());
    for case in 0..500 {
        let [mut f, near] = [0; 2].map(|_| [0; 4].map(|_| any()));
        // Some that are huge, tiny, on a line, zero.
        f[case % 4] *= [1.0, 1e120, 1e-120, 0.0][case / 4 % 4];
        f[(case + 1) % 4].y_axis *= [1.0, 1e-9, 0.0][case % 3];
        f[(case + 1) % 4].z_axis = f[(case + 1) % 4].x_axis * [1.0, 1e-3][case % 2];
        let mut alike = Vec::new();
        for kernel in Kernel::available() {
            let together = run(kernel, Both(&f, &near));
            for i in 0..4 {
                let alone = run(kernel, Both(&[f[i]; 4], &[near[i]; 4]));
                assert_eq!(
                    [0, 1].map(|n| together[n][i]),
                    [0, 1].map(|n| alone[n][0]),
                    "{kernel:?} {}",
                    f[i]
                );
            }
            alike.push((kernel.fused(), together));
        }
        for pair in alike.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert_eq!(pair[0].1, pair[1].1);
        }
    }
}

/// Which of four are certain by the closed form.
struct Sure<'a>(&'a Four);

impl Work<f64> for Sure<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> u32 {
        Solid::unique::<V>(lanes::<V>(self.0)).1
    }
}

/// The closed form is enough for all that is not crushed: reflected, flattened, stretched tenfold.
#[test]
fn ordinary_matrices_take_the_short_way() {
    let mut random = Random(2);
    let mut turn =
        || rotation(DMat3::from_cols(random.vector(), random.vector(), random.vector()), DMat3::IDENTITY);
    for values in [[1.0, 1.0, 1.0], [10.0, 2.0, 1.0], [1.0, 0.9, -0.1], [1.0, 0.2, 0.0], [1.0, 1.0, -0.7]] {
        for _ in 0..100 {
            let f = [0; 4].map(|_| turn() * DMat3::from_diagonal(values.into()) * turn());
            Kernel::available()
                .into_iter()
                .for_each(|kernel| assert_eq!(run(kernel, Sure(&f)), 15, "{values:?}"));
        }
    }
}

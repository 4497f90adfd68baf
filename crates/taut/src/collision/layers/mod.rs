//! Bodies that meet themselves and each other: nothing passes through.
//!
//! After every integrator, and last of all that moves a particle in a step, the motion from x0, where nothing crosses,
//! to x1 is put right (\[Bridson02\], \[Harmon08\], guarded by certificates):
//!
//! ```text
//! near      pairs that come within a thickness: constraints at the nearest points of x0       near
//! sweep     Gauss–Seidel on their multipliers, friction with them                             near
//! impacts   pairs that are not certified to stay apart join them; sweep again, some rounds    impacts
//! zones     what still crosses moves as one rigid body, which cannot cross itself             zones
//! velocities  only what was moved gets impulses at the same contacts; all others keep their bits
//! ```
//!
//! What is certified in every step cannot change sides, so nothing is remembered from step to step.
//!
//! | file | what |
//! |---|---|
//! | `skin` | thickness and friction of every pair |
//! | `impacts` | which pairs are not certified |
//! | `zones` | rigid zones |
//! | `guard` | the response as the list above |

mod guard;
mod impacts;
mod skin;
mod zones;

pub use guard::Response;
pub(crate) use guard::{Layers, Pinched};

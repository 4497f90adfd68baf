//! What is put right after a step, whatever the method: strain limits and energy budgets.

mod budget;
mod limit;
mod others;

pub(crate) use budget::EnergyBudget;
pub(crate) use limit::Limiter;
pub use limit::{Limited, Order, StrainLimit};

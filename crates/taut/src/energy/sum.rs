//! Sums that keep their digits.

/// Compensated summation: the rounding error of each addition is kept and added at the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// Add a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
    }

    /// The sum so far.
    pub fn total(&self) -> f64 {
        self.high + self.low
    }
}

//! Polynomials with whole coefficients and their real roots in [0, 1], without any rounding.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use std::cmp::Ordering;

/// n / 2ᵏ: what a floating-point number is.
#[derive(Debug, Clone, PartialEq)]
pub struct Dyadic {
    pub numerator: BigInt,
    pub power: u64,
}

impl Dyadic {
    pub fn new(value: f64) -> Dyadic {
        assert!(value.is_finite());
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let signed = if value < 0.0 { -BigInt::from(mantissa) } else { BigInt::from(mantissa) };
        if mantissa == 0 || exponent >= 0 {
            return Dyadic { numerator: signed << exponent.max(0), power: 0 };
        }
        let halvings = u64::from(mantissa.trailing_zeros()).min(exponent.unsigned_abs());
        Dyadic { numerator: signed >> halvings, power: exponent.unsigned_abs() - halvings }
    }

    fn middle(a: &Dyadic, b: &Dyadic) -> Dyadic {
        let power = a.power.max(b.power);
        Dyadic { numerator: a.times(power) + b.times(power), power: power + 1 }
    }

    /// The number times 2^power, for a power that makes it whole.
    pub fn times(&self, power: u64) -> BigInt {
        &self.numerator << (power - self.power)
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Dyadic) -> Option<Ordering> {
        let power = self.power.max(other.power);
        self.times(power).partial_cmp(&other.times(power))
    }
}

/// The quotient of two whole numbers to about 60 bits.
pub fn quotient(numerator: &BigInt, denominator: &BigInt) -> f64 {
    let shift = numerator.bits() as i64 - denominator.bits() as i64 - 61;
    let whole =
        if shift >= 0 { numerator / (denominator << shift) } else { (numerator << -shift) / denominator };
    let whole = i64::try_from(whole).expect("62 bits") as f64;
    // In two parts: one alone may leave the range of numbers.
    whole * 2f64.powi((shift / 2) as i32) * 2f64.powi((shift - shift / 2) as i32)
}

/// −1, 0 or 1.
fn sign(value: &BigInt) -> i8 {
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// Coefficients, that of t⁰ first; the last is not zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial(Vec<BigInt>);

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Polynomial {
        while coefficients.last() == Some(&BigInt::ZERO) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn is_constant(&self) -> bool {
        self.0.len() < 2
    }

    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        self.combined(other, |a, b| a + b)
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.combined(other, |a, b| a - b)
    }

    fn combined(&self, other: &Polynomial, operation: impl Fn(BigInt, BigInt) -> BigInt) -> Polynomial {
        let term = |p: &Polynomial, i: usize| p.0.get(i).cloned().unwrap_or_default();
        let length = self.0.len().max(other.0.len());
        Polynomial::new((0..length).map(|i| operation(term(self, i), term(other, i))).collect())
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = vec![BigInt::ZERO; (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }

    /// −1, 0 or 1.
    pub fn sign(&self, at: &Dyadic) -> i8 {
        let mut value = BigInt::ZERO;
        for (power, c) in self.0.iter().rev().enumerate() {
            value = value * &at.numerator + (c << (at.power * power as u64));
        }
        sign(&value)
    }

    fn derivative(&self) -> Polynomial {
        Polynomial::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * BigInt::from(i)).collect())
    }

    /// Without the common factor of the coefficients; the sign stays.
    fn primitive(self) -> Polynomial {
        let content = self.0.iter().fold(BigInt::ZERO, |g, c| g.gcd(c));
        if content == BigInt::ZERO { self } else { Polynomial(self.0.iter().map(|c| c / &content).collect()) }
    }

    /// Positive multiples of quotient and remainder (each its own).
    fn divided(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let lead = divisor.0.last().expect("not zero");
        let size = Polynomial(vec![lead * sign(lead)]);
        let (mut quotient, mut rest) = (Polynomial(Vec::new()), self.clone());
        while rest.0.len() >= divisor.0.len() {
            let mut term = vec![BigInt::ZERO; rest.0.len() - divisor.0.len()];
            term.push(rest.0.last().expect("not zero") * sign(lead));
            let term = Polynomial(term);
            rest = rest.times(&size).minus(&divisor.times(&term));
            quotient = quotient.times(&size).plus(&term);
        }
        (quotient.primitive(), rest.primitive())
    }

    pub fn common_divisor(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.divided(&b).1);
        }
        a.primitive()
    }

    /// The same roots, each once.
    fn simple(&self) -> Polynomial {
        self.divided(&self.common_divisor(&self.derivative())).0
    }

    /// Roots in [0, 1], in order, each once. The polynomial is not zero.
    pub fn roots(&self) -> Vec<Root> {
        let mut found = Vec::new();
        if self.is_constant() || self.keeps_its_sign() {
            return found;
        }
        let polynomial = self.simple();
        let chain = sturm(&polynomial);
        let [zero, one] = [0.0, 1.0].map(Dyadic::new);
        if polynomial.sign(&zero) == 0 {
            found.push(Root::new(&polynomial, zero.clone(), zero.clone()));
        }
        let mut open = vec![(zero, one)];
        while let Some((low, high)) = open.pop() {
            match count(&chain, &low, &high) {
                0 => {}
                1 => found.push(Root::new(&polynomial, low, high)),
                _ => {
                    let middle = Dyadic::middle(&low, &high);
                    open.push((middle.clone(), high));
                    open.push((low, middle));
                }
            }
        }
        found
    }

    /// Certainly no root in [0, 1]: all coefficients of (1 + x)ⁿ p(1/(1 + x)) have one sign, so it has no root x ≥ 0.
    /// Most polynomials end here.
    fn keeps_its_sign(&self) -> bool {
        let mut c = self.0.clone();
        c.reverse();
        for i in 0..c.len() {
            for j in (i + 1..c.len()).rev() {
                let right = c[j].clone();
                c[j - 1] += right;
            }
        }
        [1, -1].iter().any(|&one| c.iter().all(|c| sign(c) == one))
    }
}

/// Sturm's chain: what it loses in changes of sign from a to b is the number of roots in (a, b].
fn sturm(simple: &Polynomial) -> Vec<Polynomial> {
    let mut chain = vec![simple.clone(), simple.derivative()];
    while let [.., a, b] = &chain[..]
        && !b.is_zero()
    {
        let rest = a.divided(b).1;
        chain.push(Polynomial(rest.0.into_iter().map(|c| -c).collect()));
    }
    chain
}

fn count(chain: &[Polynomial], low: &Dyadic, high: &Dyadic) -> usize {
    let changes = |at: &Dyadic| {
        let signs: Vec<i8> = chain.iter().map(|p| p.sign(at)).filter(|s| *s != 0).collect();
        signs.windows(2).filter(|w| w[0] != w[1]).count()
    };
    changes(low) - changes(high)
}

/// A real number: the only root of a polynomial without repeated roots in (low, high); or low, if both are equal.
#[derive(Debug, Clone)]
pub struct Root {
    polynomial: Polynomial,
    low: Dyadic,
    high: Dyadic,
    /// That of the polynomial between the root and `high`.
    sign_after: i8,
}

impl Root {
    /// The only root in (low, high].
    fn new(polynomial: &Polynomial, low: Dyadic, high: Dyadic) -> Root {
        let sign_after = polynomial.sign(&high);
        let low = if sign_after == 0 { high.clone() } else { low };
        Root { polynomial: polynomial.clone(), low, high, sign_after }
    }

    /// The number 0.
    pub fn zero() -> Root {
        let t = Polynomial(vec![BigInt::ZERO, BigInt::from(1)]);
        Root::new(&t, Dyadic::new(0.0), Dyadic::new(0.0))
    }

    fn is_known(&self) -> bool {
        self.low == self.high
    }

    fn halve(&mut self) {
        let middle = Dyadic::middle(&self.low, &self.high);
        match self.polynomial.sign(&middle) {
            0 => (self.low, self.high) = (middle.clone(), middle),
            sign if sign == self.sign_after => self.high = middle,
            _ => self.low = middle,
        }
    }

    /// Sign of another polynomial at this number.
    pub fn sign(&mut self, of: &Polynomial) -> i8 {
        if of.is_constant() || self.is_known() {
            return of.sign(&self.low);
        }
        // Zero if both polynomials have this root in common.
        let common = self.polynomial.common_divisor(of);
        if count(&sturm(&common), &self.low, &self.high) > 0 {
            return 0;
        }
        let chain = sturm(&of.simple());
        while !self.is_known() && count(&chain, &self.low, &self.high) > 0 {
            self.halve();
        }
        of.sign(&self.high)
    }

    /// Is this number before a given one?
    pub fn is_before(&self, t: f64) -> bool {
        let t = Dyadic::new(t);
        if self.is_known() || t <= self.low || t >= self.high {
            return self.high < t || (self.high == t && !self.is_known());
        }
        self.polynomial.sign(&t) == self.sign_after
    }

    /// To about 2⁻⁶⁰.
    pub fn to_f64(&self) -> f64 {
        let mut root = self.clone();
        for _ in 0..60 {
            if !root.is_known() {
                root.halve();
            }
        }
        quotient(&root.high.numerator, &(BigInt::from(1) << root.high.power))
    }
}

//! Fabric presets: what a word like "cotton" stands for.
//!
//! The numbers are **chosen**, not measured: ordered as one would order the cloths by hand (silk lightest and
//! limpest, leather heaviest and stiffest) and stiff enough that a metre of each stretches a few per cent under
//! its own weight at most. Stiffnesses are those of single springs \[N/m\]; for a sheet they do not change with
//! resolution: n springs side by side and n in a row make k again.

/// A cloth material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fabric {
    /// The word for it.
    pub name: &'static str,
    /// Mass per area \[kg/m²\].
    pub density: f64,
    /// Stretch stiffness, along the threads \[N/m\].
    pub stretch: f64,
    /// Shear stiffness, along diagonals \[N/m\].
    pub shear: f64,
    /// Bend stiffness, of springs between particles two apart \[N/m\].
    pub bend: f64,
    /// Material damping β \[s\]: resistance to the rate of stretch per stiffness.
    pub damping: f64,
}

/// Every preset.
pub const FABRICS: [Fabric; 5] = [
    Fabric { name: "silk", density: 0.08, stretch: 300.0, shear: 30.0, bend: 0.3, damping: 0.002 },
    Fabric { name: "cotton", density: 0.15, stretch: 800.0, shear: 120.0, bend: 2.0, damping: 0.005 },
    Fabric { name: "wool", density: 0.30, stretch: 600.0, shear: 80.0, bend: 5.0, damping: 0.010 },
    Fabric { name: "denim", density: 0.40, stretch: 2000.0, shear: 500.0, bend: 20.0, damping: 0.010 },
    Fabric { name: "leather", density: 0.80, stretch: 4000.0, shear: 2000.0, bend: 80.0, damping: 0.020 },
];

/// The preset of that name.
pub fn fabric(name: &str) -> Option<&'static Fabric> {
    FABRICS.iter().find(|f| f.name == name)
}

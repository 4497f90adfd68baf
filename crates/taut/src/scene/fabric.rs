//! Presets: what words like "cotton" and "rubber" stand for.
//!
//! The numbers are **chosen**, not measured: ordered as one would order the cloths by hand (silk lightest and
//! limpest, leather heaviest and stiffest) and stiff enough that a metre of each stretches a few per cent under
//! its own weight at most. Stiffnesses are those of single springs \[N/m\]; for a sheet they do not change with
//! resolution: n springs side by side and n in a row make k again. As elements they have other numbers, also chosen: near
//! what textile laboratories print for cloths of such names, with a weft somewhat softer than the warp.

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
    /// As elements: stiffness along the warp [N/m].
    pub warp: f64,
    /// As elements: stiffness along the weft [N/m].
    pub weft: f64,
    /// As elements: stiffness in shear [N/m].
    pub skew: f64,
    /// As elements: bending rigidity along warp and weft \[N·m\].
    pub rigidity: [f64; 2],
}

/// Every preset.
pub const FABRICS: [Fabric; 5] = [
    Fabric {
        name: "silk",
        density: 0.08,
        stretch: 300.0,
        shear: 30.0,
        bend: 0.3,
        damping: 0.002,
        warp: 300.0,
        weft: 250.0,
        skew: 30.0,
        rigidity: [4e-6, 3e-6],
    },
    Fabric {
        name: "cotton",
        density: 0.15,
        stretch: 800.0,
        shear: 120.0,
        bend: 2.0,
        damping: 0.005,
        warp: 800.0,
        weft: 600.0,
        skew: 60.0,
        rigidity: [1e-5, 8e-6],
    },
    Fabric {
        name: "wool",
        density: 0.30,
        stretch: 600.0,
        shear: 80.0,
        bend: 5.0,
        damping: 0.010,
        warp: 600.0,
        weft: 500.0,
        skew: 40.0,
        rigidity: [2e-5, 1.5e-5],
    },
    Fabric {
        name: "denim",
        density: 0.40,
        stretch: 2000.0,
        shear: 500.0,
        bend: 20.0,
        damping: 0.010,
        warp: 2000.0,
        weft: 1500.0,
        skew: 250.0,
        rigidity: [1e-4, 6e-5],
    },
    Fabric {
        name: "leather",
        density: 0.80,
        stretch: 4000.0,
        shear: 2000.0,
        bend: 80.0,
        damping: 0.020,
        warp: 4000.0,
        weft: 4000.0,
        skew: 1500.0,
        rigidity: [8e-4, 8e-4],
    },
];

/// The preset of that name.
pub fn fabric(name: &str) -> Option<&'static Fabric> {
    FABRICS.iter().find(|f| f.name == name)
}

/// A material of solids, of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solid {
    /// The word for it.
    pub name: &'static str,
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio (dimensionless).
    pub poisson: f64,
    /// Material damping β \[s\].
    pub damping: f64,
}

/// Every preset of solids; the numbers are chosen.
pub const SOLIDS: [Solid; 3] = [
    Solid { name: "jelly", density: 1000.0, young: 3e4, poisson: 0.45, damping: 0.005 },
    Solid { name: "rubber", density: 1100.0, young: 1e6, poisson: 0.45, damping: 0.002 },
    Solid { name: "foam", density: 50.0, young: 5e4, poisson: 0.1, damping: 0.01 },
];

//! Bodies of elements in the words of a scene.

use crate::mesh_bodies::Folder;
use taut::Scene;

/// A material means elements, the numbers of springs mean springs; what contradicts itself is refused by name.
#[test]
fn impossible_elements_are_refused() {
    let cloth = "grid = { columns = 4, rows = 4, width = 1.0, height = 1.0 }";
    let ball = "solid = { parts = [{ sphere = { centre = [0.0, 0.0, 0.0], radius = 0.5 } }], cell = 0.2 }";
    let strands = "strands = { columns = 1, rows = 1, spacing = 1.0, particles = 3, length = 1.0 }";
    for (shape, keys, words) in [
        (ball, "poisson = -0.1", ["s.toml:3", "poisson = -0.1", "below 0.5"]),
        (ball, "poisson = 0.5", ["s.toml:3", "poisson = 0.5", "try 0.45"]),
        (ball, "young = 0.0", ["s.toml:3", "young = 0", "positive"]),
        (ball, "material = \"ruber\"", ["s.toml:3", "\"ruber\"", "did you mean `rubber`?"]),
        (ball, "stretch = 9.0\nyoung = 1e4", ["s.toml:4", "young = 10000", "stretch makes springs"]),
        (ball, "warp = 9.0", ["s.toml:3", "warp = 9", "material, young and poisson"]),
        (cloth, "young = 9.0", ["s.toml:3", "young = 9", "warp, weft, skew and rigidity"]),
        (cloth, "warp = 100.0\nrigidity = -1e-5", ["s.toml:4", "rigidity = -0.00001", "zero or more"]),
        (cloth, "warp = 100.0\nrigidity = [1e-5, nan]", ["s.toml:4", "rigidity = NaN", "zero or more"]),
        (cloth, "warp = 100.0\nrigidity = \"stiff\"", ["s.toml:4", "rigidity must be", "[warp, weft]"]),
        (cloth, "warp = 100.0\nskew = 51.0", ["s.toml:3", "warp = 100", "at least twice skew"]),
        (cloth, "warp = 100.0\nweft = 0.0", ["s.toml:4", "weft = 0", "positive"]),
        (
            cloth,
            "warp = 100.0\ndirection = [0.0, 1.0, 0.0]",
            ["s.toml:4", "direction = ", "lies in the surface"],
        ),
        (cloth, "warp = 100.0\ndirection = [0.0, 0.0, 0.0]", ["s.toml:4", "direction = ", "have a length"]),
        (cloth, "fabric = \"silk\"\nwarp = 9.0\nbend = 1.0", ["s.toml:4", "warp = 9", "bend makes springs"]),
        (
            cloth,
            "fabric = \"silk\"\nelements = true\nbend = 1.0",
            ["s.toml:5", "bend = 1", "elements = true"],
        ),
        (cloth, "elements = false\nwarp = 9.0", ["s.toml:4", "warp = 9", "elements = false"]),
        (cloth, "warp = 100.0\nlimit = { low = 1.1 }", ["s.toml:1", "limited to 1.1", "between the limits"]),
        (cloth, "limit = { high = 1.1 }", ["s.toml:1", "no stiffness", "or a fabric"]),
        (cloth, "stretch = 9.0\nlimit = { high = 1.1 }", ["s.toml:4", "limit = ", "stretch makes springs"]),
        (cloth, "elements = true", ["s.toml:1", "no stiffness", "warp [N/m], or a fabric"]),
        (strands, "elements = true", ["s.toml:3", "elements = true", "strands are made of springs"]),
    ] {
        let text = format!("[[body]]\n{shape}\n{keys}\n");
        let error = Scene::parse("s.toml", &text, None).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains('\n'), "{error}");
    }
}

/// A tet without volume in a file is named, with the line that names the file.
#[test]
fn flat_tets_of_elements_are_refused() {
    let text = "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 0 0\n\
                Tetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n";
    let folder = Folder::new("flat").with("flat.mesh", text);
    let scene = "[[body]]\nmesh = { file = \"flat.mesh\" }\nmaterial = \"rubber\"\n";
    let error = Scene::parse("s.toml", scene, Some(&folder.0)).unwrap_err().to_string();
    assert!(["s.toml:1", "tet 1", "volume"].iter().all(|word| error.contains(word)), "{error}");
}

/// What elements are made of is what the keys say, wherever the body stands and however it was drawn.
#[test]
fn elements_have_the_numbers_of_their_keys() {
    let cloth = |size: f64, keys: &str| {
        let grid = format!("grid = {{ columns = 4, rows = 5, width = {size:?}, height = {size:?} }}");
        Scene::parse("s", &format!("[[body]]\n{grid}\n{keys}\n"), None).unwrap()
    };
    let made =
        cloth(1.0, "density = 0.2\nwarp = 90.0\nweft = 80.0\nskew = 30.0\nrigidity = [1e-5, 2e-5]").model;
    assert!(
        made.springs.is_empty() && made.membranes.len() == made.triangles.len() && !made.links.is_empty()
    );
    assert!(made.membranes.iter().all(|m| (m.warp, m.weft, m.shear) == (90.0, 80.0, 30.0)));
    assert!(made.membranes.iter().all(|m| m.direction == taut::DVec3::Z), "along the columns");
    assert!((made.masses.iter().sum::<f64>() - 0.2).abs() < 1e-15);
    assert!(made.masses[5] > 1.9 * made.masses[1], "by the area around");
    let preset = cloth(1.0, "fabric = \"denim\"").model;
    assert!(preset.membranes.iter().all(|m| (m.warp, m.weft, m.shear) == (2000.0, 1500.0, 250.0)));
    assert_eq!(cloth(1.0, "fabric = \"denim\"\nelements = true").model, preset);
    for springs in ["elements = false", "stretch = 900.0", "bend = 1.0"] {
        let model = cloth(1.0, &format!("fabric = \"denim\"\n{springs}")).model;
        assert!(!model.springs.is_empty() && model.membranes.is_empty(), "{springs} means springs");
    }
    assert!(cloth(1.0, "").model.membranes.is_empty(), "nothing said of a surface: springs");
    let limited = cloth(1.0, "warp = 90.0\nlimit = { low = 0.8, high = 1.1 }").model;
    let limit = taut::Limit { low: 0.8, high: 1.1, stiffness: 900.0 };
    assert!(limited.membranes.iter().all(|m| m.limit == Some(limit)));

    // A solid of which nothing is said is rubber; only numbers of springs make springs.
    let ball = |keys: &str| {
        let part = "{ sphere = { centre = [0.0, 0.0, 0.0], radius = 0.5 } }";
        let text = format!("[[body]]\nsolid = {{ parts = [{part}], cell = 0.25 }}\n{keys}\n");
        Scene::parse("s", &text, None).unwrap()
    };
    let rubber = ball("material = \"rubber\"");
    assert_eq!(ball("").model, rubber.model);
    assert_eq!(rubber.settings.damping.material, 0.002);
    let weight = |scene: &Scene| scene.model.masses.iter().sum::<f64>();
    assert!((weight(&ball("density = 550.0")) - 0.5 * weight(&rubber)).abs() < 1e-12 * weight(&rubber));
    assert!(weight(&rubber) > 400.0, "1100 kg/m³");
    for springs in ["stretch = 500.0", "elements = false"] {
        let model = ball(springs).model;
        assert!(!model.springs.is_empty() && model.blocks.is_empty(), "{springs} means springs");
    }

    // Drawn in centimetres and scaled; turned: the warp turns with it.
    let keys = "density = 0.2\nwarp = 90.0\nrigidity = 1e-5\nrotation = [90.0, 0.0, 0.0]\nscale = ";
    let [metres, centimetres] = [cloth(1.0, &format!("{keys}1.0")), cloth(100.0, &format!("{keys}0.01"))];
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
    // Forms may be turned into each other by rounding: their squares are what counts.
    let bent = |scene: &Scene| {
        let x: Vec<_> =
            scene.model.rest.iter().map(|p| *p + taut::DVec3::Z * (p.x * p.x + p.x * p.y)).collect();
        scene.model.links.iter().map(|link| link.vector(&x).length_squared()).sum::<f64>()
    };
    assert!(bent(&metres) > 0.0 && near(bent(&metres), bent(&centimetres)));
    assert!(metres.model.masses.iter().zip(&centimetres.model.masses).all(|(a, b)| near(*a, *b)));
    assert!(metres.model.membranes.iter().all(|m| m.direction.dot(taut::DVec3::NEG_Y) > 0.999));
}

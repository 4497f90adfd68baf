//! Mistakes in scenes: each is answered in one line, with its place, what is there and what to do.

use crate::mesh_bodies::Folder;
use crate::scenes::CLOTH;
use taut::scene::BUILTIN;
use taut::{Scene, SpringKind};

/// (text, what the message must contain)
#[test]
fn mistakes_are_answered_with_place_value_and_remedy() {
    let mistakes: &[(&str, &[&str])] = &[
        ("", &["no body", "[[body]]"]),
        ("titel = \"x\"\n", &["s.toml:1", "unknown key `titel`", "did you mean `title`?"]),
        ("[[body]]\ngird = 3\n", &["s.toml:2", "`gird`", "did you mean `grid`?"]),
        ("[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, hight = 1.0 }\n", &["s.toml:2", "`height`"]),
        ("[[body]]\ngrid = { columns = -5, rows = 5, width = 1.0, height = 1.0 }\n", &["s.toml:2", "-5"]),
        (
            "[[body]]\ngrid = { columns = 1, rows = 5, width = 1.0, height = 1.0 }\n",
            &["s.toml:2", "columns = 1", "at least 2"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 0.0, height = 1.0 }\n",
            &["s.toml:2", "width = 0"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = \"a\", height = 1.0 }\n",
            &["s.toml:2", "width = \"a\"", "must be a number"],
        ),
        ("[[body]]\nname = \"x\"\n", &["s.toml:1", "0 shapes", "grid, strands, mesh, solid"]),
        ("[[body]]\nmesh = { file = \"../x.obj\" }\n", &["s.toml:2", "x.obj"]),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nfabric = \"coton\"\n",
            &["s.toml:3", "coton", "did you mean `cotton`?"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nmass = -1.0\n",
            &["s.toml:3", "mass = -1"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nmass = 1.0\ndensity = 1.0\n",
            &["both mass and density"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nstretch = nan\n",
            &["s.toml:3", "stretch = NaN"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nscale = 0.0\n",
            &["s.toml:3", "scale = 0"],
        ),
        (
            "[[body]]\ngrid = { columns = 99999999, rows = 99999999, width = 1.0, height = 1.0 }\n",
            &["s.toml:1", "at most"],
        ),
        ("[method]\nname = \"newtin\"\n", &["s.toml:2", "newtin", "did you mean `newton`?"]),
        ("[method]\niterations = 0\n", &["s.toml:2", "iterations = 0", "at least one"]),
        ("[method]\nlinear_solver = \"lu\"\n", &["s.toml:2", "cholesky, pcg_jacobi, pcg_constant"]),
        ("duration = -1.0\n", &["s.toml:1", "duration = -1", "positive"]),
        ("time_step = 1e-30\n", &["s.toml:1", "time_step"]),
        ("gravity = [0.0, inf, 0.0]\n", &["s.toml:1", "gravity", "finite"]),
        ("gravity = [0.0, 1.0]\n", &["s.toml:1"]),
        ("[damping]\nether = 2.0\n", &["s.toml", "ether = 2", "between 0 and 1"]),
        ("[[pin]]\nbody = \"x\"\nat = [\"top\"]\n", &["s.toml", "\"x\"", "body0"]),
        ("[[pin]]\nat = [\"tpo\"]\n", &["s.toml", "tpo", "did you mean `top`?"]),
        ("[[pin]]\nindices = [25]\n", &["s.toml", "indices = 25", "25 particles"]),
        ("[[pin]]\n", &["no particle is chosen here"]),
        ("[[pin]]\nattribute = \"w\"\n", &["attribute", "no vertex attributes"]),
        (
            "[[event]]\ntime = 1.0\n",
            &["event does nothing", "add move, release, wind, stiffness, cut or cut_at"],
        ),
        ("[[event]]\ntime = 1.0\nrelease = \"nobody\"\n", &["s.toml", "nobody"]),
        ("[[event]]\ntime = nan\nwind = [0.0, 0.0, 0.0]\n", &["time", "finite"]),
        (
            "[[solid]]\ncapsule = { from = [0.0, 0.0, 0.0], to = [0.0, 1.0, 0.0], radius = 0.1, radius_to = 0.2 }\n",
            &["s.toml:2", "radius_to = 0.2", "one radius"],
        ),
        (
            "[[pin]]\nname = \"a\"\nat = [\"top\"]\n[[event]]\ntime = 1.0\nrelease = \"edge\"\n",
            &["the pins are a"],
        ),
        ("[[solid]]\nfriction = 1.0\n", &["0 shapes", "ground, plane, sphere"]),
        ("[[solid]]\nsphere = { centre = [0.0, 0.0, 0.0], radius = -1.0 }\n", &["radius = -1"]),
        (
            "[[solid]]\nground = {}\nmove = { path = [[1.0, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0]] }\n",
            &["s.toml:3", "path = [1, 0, 0, 0], [0.5, 1, 0, 0]", "must increase"],
        ),
        (
            "[[solid]]\nground = {}\nmove = { turn = [[0.0, 0.0, inf, 0.0]] }\n",
            &["s.toml:3", "turn = [0, 0, inf, 0]", "finite"],
        ),
        ("[[solid]]\nground = {}\nmove = { }\n", &["no keys", "path = [[time, x, y, z], ...]"]),
        (
            "[[solid]]\nground = {}\nmove = { path = [[0.0, 0.0, 0.0, 0.0]], about = [nan, 0.0, 0.0] }\n",
            &["s.toml:3", "about", "finite"],
        ),
        (
            "[[solid]]\nground = {}\nmove = { path = [[0.0, 0.0, 0.0, 0.0]] }\n\
             turn = { about = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], path = [[0.0, 0.0]] }\n",
            &["both turn and move"],
        ),
        (
            "[[solid]]\nground = {}\nturn = { about = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 0.0], path = [[0.0, 1.0]] }\n",
            &["s.toml:3", "axis", "have a length"],
        ),
        ("[[solid]]\nground = {}\nthickness = 0.1\n", &["s.toml:1", "thickness", "only a mesh", "margin"]),
        ("[[solid]]\nmesh = { file = \"../x.obj\" }\n", &["s.toml:2", "x.obj"]),
        ("[[solid]]\nmesh = { around = 9 }\n", &["s.toml:1", "one source", "vertices and faces, or lathe"]),
        (
            "[[solid]]\nmesh = { file = \"x.obj\", lathe = [[1.0, 0.0], [1.0, 1.0]] }\n",
            &["s.toml:1", "one source"],
        ),
        ("[[solid]]\nmesh = { lathe = [[-1.0, 0.0], [1.0, 1.0]] }\n", &["s.toml:1", "radius = -1"]),
        (
            "[[solid]]\nmesh = { vertices = [[0.0, 0.0, 0.0]], faces = [[0, 1, 2]] }\n",
            &["s.toml:2", "faces = 1", "there are 1 vertices, counted from 0"],
        ),
        ("[camera]\nfield_of_view = 400.0\n", &["s.toml:2", "field_of_view = 400", "between 1 and 150"]),
        ("[camera]\neye = [nan, 0.0, 0.0]\n", &["s.toml:2", "eye", "finite"]),
        (
            "[[pin]]\nbox = [[5.0, 5.0, 5.0], [6.0, 6.0, 6.0]]\n",
            &["no particle is chosen here", "reaches from"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\ncolour = 99\n",
            &["s.toml:3", "colour = 99", "0 blue", "7 slate"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[body.region]]\nmass = 2.0\n",
            &["this region holds no particle"],
        ),
        ("a = [[[[[[\n", &["s.toml:"]),
        ("[[body]\nname = \"x\"\n", &["s.toml:1", "unclosed array table; expected `]` here"]),
        ("duration = 1e999 # long\n", &["s.toml:1", "duration = 1e999; this number is too large"]),
        (
            "[[pin]]\nbox = [[nan, 0.0, 0.0], [1.0, 1.0, 1.0]]\n",
            &["s.toml:2", "box = ", "NaN", "two opposite"],
        ),
        (
            "[[pin]]\nname = \"a\"\nat = [\"top\"]\n[[pin]]\nname = \"a\"\nat = [\"bottom\"]\n",
            &["s.toml:5", "name = \"a\"", "two pins"],
        ),
        ("duration = 1e300\n", &["s.toml:1", "duration = 1e300", "frames"]),
        ("# duration = 1\nduration = \"long\"\n", &["s.toml:2", "duration = \"long\"", "must be a number"]),
        ("gravity = [0.0, 1.0]\n", &["s.toml:1", "gravity = a list of 2", "a list of 3 numbers"]),
        ("method = \"newton\"\n", &["s.toml:1", "method = \"newton\"", "a table"]),
        ("[body]\nname = \"x\"\n#[[body]]", &["s.toml:1", "[body]", "write [[body]]"]),
        ("[[body]]\ngrid = { columns = 5.5, rows = 5 }\n", &["s.toml:2", "columns = 5.5", "a whole number"]),
        ("[[body]]\ngrid = { rows = 5, columns = 5 }\n", &["s.toml:2", "`width` is missing"]),
        ("[[pin]]\nat = \"top\"\n", &["s.toml:2", "at = \"top\"", "a list of parts in brackets", "box"]),
        (
            "duration = True\n",
            &["s.toml:1", "duration = True", "must be a number, like 3.0, or true or false"],
        ),
        ("duration = np.float64(3)\n", &["s.toml:1", "duration = np.float64(3)", "must be a number"]),
        ("duration = infinity\n", &["s.toml:1", "duration = infinity", "must be a number"]),
        ("duration = 3 s\n", &["s.toml:1", "without its unit"]),
        ("[[body]]\ncolour = \"red\"\n", &["s.toml:2", "colour = \"red\"", "0 blue", "7 slate"]),
        ("[[body]]\nmesh = { file = \"a\\shirt.obj\" }\n", &["s.toml:2", "backslash", "write paths with /"]),
        (
            "[[body]]\nmesh = { file = \"C:\\Users\\a.obj\" }\n",
            &["s.toml:2", "backslash", "write paths with /"],
        ),
        ("[air]\nwind = [1.0, 0.0, 0.0]\ndrag = -1.0\n", &["s.toml:3", "air.drag = -1", "zero or more"]),
        ("[damping]\nether = 2.0\n", &["s.toml:2", "ether = 2"]),
        ("[[event]]\ntime = 1.0\nstiffness = -2.0\n", &["s.toml:3", "stiffness = -2", "zero or more"]),
        ("[output]\nformats = [\"gif\", \"jif\"]\n", &["s.toml:2", "\"jif\"", "did you mean `gif`?"]),
        ("[output]\nsize = [640, 4]\n", &["s.toml:2", "size = [640, 4]", "between 16 and 8192"]),
        ("[output]\nfolder = \"../x\"\n", &["s.toml:2", "folder = \"../x\"", "--out"]),
        ("[output]\nfolder = \"/tmp\"\n", &["s.toml:2", "folder"]),
        ("[output]\nformat = [\"gif\"]\n", &["s.toml:2", "did you mean `formats`?"]),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\ndensity = -1.0\n",
            &["s.toml:3", "density = -1"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[body.region]]\n\
             at = [\"top\"]\nmass = -2.0\n",
            &["s.toml:5", "mass = -2"],
        ),
        (
            "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[pin]]\nname = \"a\"\n\
             at = [\"top\"]\n[[event]]\ntime = 1.0\nmove = \"a\"\npath = [[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]\n",
            &["s.toml:9", "path = [0, 0, 0, 0], [0, 1, 0, 0]", "must increase"],
        ),
    ];
    for (mistake, parts) in mistakes {
        let needs_body = !mistake.contains("[[body]]") && !mistake.is_empty();
        let text = if needs_body { format!("{mistake}{CLOTH}") } else { mistake.to_string() };
        let message = match Scene::parse("s.toml", &text, None) {
            Ok(_) => panic!("accepted: {text}"),
            Err(e) => e.to_string(),
        };
        for part in *parts {
            assert!(message.contains(part), "`{message}` lacks `{part}` for\n{text}");
        }
        assert!(!message.contains('\n'), "more than one line: {message}");
    }
}

#[test]
fn a_scene_cut_anywhere_or_nested_deeply_never_panics() {
    let text = BUILTIN.iter().find(|b| b.name == "reference").unwrap().text;
    // Bodies take time to build; what is cut before them is all the parser.
    let head = text.find("[[body]]").unwrap() + 400;
    for end in (0..head).filter(|&e| text.is_char_boundary(e)) {
        let _ = Scene::parse("cut.toml", &text[..end], None);
    }
    for deep in ["a = ".to_string() + &"[".repeat(100_000), "[".repeat(100_000), "a.".repeat(100_000)] {
        assert!(Scene::parse("deep.toml", &deep, None).is_err());
    }
    let large = "#".repeat((1 << 24) + 1);
    assert!(Scene::parse("large.toml", &large, None).unwrap_err().to_string().contains("16777217 bytes"));
}

#[test]
fn unknown_scene_names_suggest_known_ones() {
    let message = Scene::load("curtian").unwrap_err().to_string();
    assert!(message.contains("did you mean `curtain`?"), "{message}");
    let message = Scene::load("nowhere/x.toml").unwrap_err().to_string();
    assert!(message.contains("nowhere/x.toml"), "{message}");
}

#[test]
fn keys_that_a_method_has_no_use_for_are_refused() {
    for (name, key, of) in [
        ("pbd", "preconditioner = \"block\"", "imex"),
        ("pbd", "linear_solver = \"cholesky\"", "newton"),
        ("symplectic_euler", "iterations = 10", "choose a method that iterates"),
        ("semi_implicit", "tolerance = 1e-3", "choose a method that iterates"),
        ("forward_euler", "budget = 0.1", "choose a method that iterates"),
    ] {
        let text = format!("[method]\nname = \"{name}\"\n{key}\n{CLOTH}");
        let error = Scene::parse("test", &text, None).unwrap_err().to_string();
        let words = ["test:3", name, "does not use this setting: leave it out", of];
        assert!(words.iter().all(|w| error.contains(w)), "{error}");
    }
}

/// Keys of the material are those of a shape that uses them.
#[test]
fn keys_that_a_shape_has_no_use_for_are_refused() {
    let strands = "strands = { columns = 1, rows = 1, spacing = 1.0, particles = 3, length = 1.0 }";
    let solid = "solid = { parts = [{ sphere = { centre = [0.0, 0.0, 0.0], radius = 0.5 } }], cell = 0.2 }";
    let (fabric, kind) = ("fabric = \"silk\"", "springs = \"extension_only\"");
    let [density, stretch, shear, bend] = ["density = 3.0", "stretch = 3.0", "shear = 3.0", "bend = 3.0"];
    for (shape, used, stray, remedy) in [
        (strands, vec![kind], vec![fabric, density, stretch, shear, bend], "stiffness, two_apart"),
        (solid, vec![density, stretch], vec![fabric, shear, bend, kind], "all have the stiffness stretch"),
        ("dress = {}", vec![fabric, density, stretch, bend, kind], vec![shear], "stretch along its edges"),
    ] {
        let parse = |key: &str| Scene::parse("test", &format!("[[body]]\n{shape}\n{key}\n"), None);
        for key in used {
            parse(key).unwrap_or_else(|e| panic!("{key} of {shape}: {e}"));
        }
        for key in stray {
            let error = parse(key).unwrap_err().to_string();
            let words = [&format!("test:3: {}", key.trim_end_matches(".0")), remedy];
            assert!(words.iter().all(|w| error.contains(*w)), "{error}");
        }
    }
}

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

/// The springs of a strand are of the kind asked for along its edges, linear elsewhere.
#[test]
fn strands_may_be_slack() {
    let text = "[[body]]\nstrands = { columns = 1, rows = 1, spacing = 1.0, particles = 5, length = 1.0 }\n\
                springs = \"extension_only\"\n";
    for s in Scene::parse("test", text, None).unwrap().model.springs {
        let along = s.ends[1] - s.ends[0] == 1;
        assert_eq!(s.kind, if along { SpringKind::ExtensionOnly } else { SpringKind::Linear });
    }
}

/// A scene that names no method gets one that can run it, so that another may be chosen on the command line.
#[test]
fn the_usual_method_is_one_that_suits() {
    let choi_ko = "model = \"choi_ko\"\nbending = 1e-6\n";
    for (text, name) in [("", "conjugate_gradient"), (choi_ko, "adaptive_imex")] {
        for table in ["", "[method]\nprecision = \"double\"\n"] {
            let scene = Scene::parse("test", &format!("{CLOTH}{text}{table}"), None).unwrap();
            assert_eq!(scene.settings.method.name(), name);
        }
    }
    let named = format!("[method]\nname = \"local_global\"\n{CLOTH}{choi_ko}");
    assert!(Scene::parse("test", &named, None).is_err());
}

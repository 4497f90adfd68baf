//! Mistakes in scenes: each is answered in one line, with its place, what is there and what to do.

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

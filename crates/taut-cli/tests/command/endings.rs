//! How runs end: in divergence, at rest or not; and what options do to a scene's own method.

use crate::common::Folder;

/// A pin is carried off so fast that squares of velocities overflow.
const FAR: &str = r#"
    [[body]]
    grid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }
    [[pin]]
    name = "edge"
    at = ["top"]
    [[event]]
    time = 0.1
    move = "edge"
    path = [[0.0, 0.0, 0.0, 0.0], [0.5, 1e308, 0.0, 0.0]]
"#;

/// By any method: what cannot be followed ends the run with code 1, in a frame that is named; those before it are kept.
#[test]
fn divergence_keeps_good_frames_names_the_particle_and_advises() {
    for method in taut::Method::NAMES {
        let folder = Folder::new(&format!("diverge-{method}"));
        folder.write("far.toml", FAR);
        let line = format!("run far.toml --frames 20 --format obj,glb --json --method {method}");
        let answer = folder.line(&line);
        let good = folder.list("out").len() - 2; // the GLB, and the start
        assert!((1..20).contains(&good), "{answer:?}");
        let words = [format!("diverged in frame {}", good + 1), format!("frames 0 to {good} are kept")];
        let advice = match method {
            "semi_implicit" => "--method hybrid",
            "static_imex" | "symplectic_euler" => "divide the step by",
            "forward_euler" => "use symplectic_euler below",
            _ => "time_step = ",
        };
        let answer = answer.failed(1, &[&words[0], &words[1], "particle ", advice]);
        assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
        let object = answer.json();
        assert_eq!((&object["frames"], &object["diverged"]), (&good.into(), &true.into()), "{method}");
        assert_eq!(object["non_finite"], usize::from(answer.err.contains("not finite")), "{method}");
        for name in folder.list("out").iter().filter(|n| n.ends_with(".obj")) {
            taut::mesh_io::read(folder.0.join("out").join(name)).unwrap();
        }
    }
}

/// And what can be followed ends it with code 0.
#[test]
fn every_method_ends_well() {
    let folder = Folder::new("well");
    folder.write(
        "soft.toml",
        "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n\
         stretch = 10.0\nshear = 5.0\nbend = 1.0\n[[pin]]\nat = [\"top\"]\n",
    );
    for method in taut::Method::NAMES {
        let line = format!("run soft.toml --frames 3 --format none --json --method {method}");
        let object = folder.line(&line).fine().json();
        assert_eq!((&object["method"], &object["frames"]), (&method.into(), &3.into()));
        assert_eq!((&object["diverged"], &object["non_finite"]), (&false.into(), &0.into()), "{method}");
    }
}

/// Before an explicit run the step is compared with its limit; when it has diverged, the same numbers advise.
#[test]
fn explicit_runs_are_warned_of_and_advised() {
    let folder = Folder::new("explicit");
    let answer = folder.line("run curtain21 --method symplectic_euler --frames 30 --format none");
    let answer = answer.failed(1, &["diverged in frame", "is unstable", "divide the step by"]);
    let (first, last) = (answer.err.lines().next().unwrap(), answer.err.lines().last().unwrap());
    assert!(first.starts_with("warning: symplectic_euler at 0.0333 s is unstable"), "{first}");
    let advised: f64 =
        last.split("divide the step by ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let curtain = taut::scene::BUILTIN.iter().find(|b| b.name == "curtain21").unwrap();
    let step = format!("time_step = {}\n", 1.0 / (30.0 * advised));
    let rest = curtain.text.lines().filter(|line| !line.starts_with("time_step"));
    let rest: String = rest.map(|line| format!("{line}\n")).collect();
    folder.write("short.toml", &format!("{step}{rest}"));
    let answer = folder.line("run short.toml --method symplectic_euler --frames 10 --format none").fine();
    assert!(!answer.err.contains("warning"), "{}", answer.err);
}

/// So is the static split, whose shear and bend springs are explicit; and what blows up without one is stopped too.
#[test]
fn what_is_stable_at_short_steps_only_is_stopped() {
    let folder = Folder::new("lost");
    let answer = folder.line("run curtain21 --method static_imex --frames 30 --format none");
    let answer = answer.failed(1, &["diverged in frame", "--method adaptive_imex", "divide the step by"]);
    assert!(
        answer.err.starts_with("warning: static_imex, which takes shear and bend springs"),
        "{}",
        answer.err
    );
    let answer = folder.line("run curtain21 --method semi_implicit --frames 30 --format none");
    answer.failed(1, &["diverged in frame", "are kept", "--method hybrid"]);
    let answer = folder.line("run curtain21 --method xpbd --scheme midpoint --frames 300 --format none");
    answer.failed(1, &["diverged in frame", "are kept", "--scheme bdf2"]);
    let check = folder.line("check demo_chaotic").fine();
    assert!(check.out.contains("warning: symplectic_euler at 0.1000 s is unstable"), "{}", check.out);
}

#[test]
fn a_likely_cause_is_told_with_the_divergence() {
    let folder = Folder::new("cause");
    folder.write("heavy.toml", &FAR.replace("[[pin]]", "stretch = 1e-9\nshear = 1e-9\nbend = 1e-9\n[[pin]]"));
    let answer = folder.line("run heavy.toml --frames 20 --format none --quiet");
    let answer = answer.failed(1, &["diverged", "would stretch by about", "N/m"]);
    assert_eq!(answer.err.lines().count(), 1);
}

#[test]
fn what_hangs_comes_to_rest() {
    let folder = Folder::new("settle");
    let answer = folder.line("settle curtain21 --format obj").fine();
    assert!(answer.err.contains("curtain21: at rest after"), "{}", answer.err);
    assert_eq!(folder.list("out"), ["curtain21_rest.obj"]);
    let mesh = taut::mesh_io::read(folder.0.join("out/curtain21_rest.obj")).unwrap();
    let lowest = mesh.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!((0.0..0.4).contains(&lowest), "{lowest} m: it hung at 1.25 m and is a metre long");
    let object = folder.line("settle curtain21 --format none --json").fine().json();
    assert_eq!(object["method"], "settle");
    assert!(object["residual"].as_f64().unwrap() <= 1e-9, "{object}");
    assert!(object["seconds"]["integrate"].as_f64().unwrap() > 0.0, "{object}");
}

#[test]
fn what_falls_does_not() {
    let folder = Folder::new("falls");
    folder.write("fall.toml", "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n");
    let answer = folder.line("settle fall.toml --format obj --quiet --steps 700");
    answer.failed(1, &["not at rest after 700 steps", "rest lengths", "--steps", "pins or solids"]);
    assert_eq!(folder.list("out"), ["fall_unsettled.obj"], "only what is at rest is called so");
}

/// Solids are met on the way, not skipped over by the long steps of the solver.
#[test]
fn what_falls_on_a_ball_stays_on_it() {
    let folder = Folder::new("ball");
    folder.write(
        "ball.toml",
        "[[body]]\nfabric = \"wool\"\nposition = [0.0, 0.7, 0.0]\n\
         grid = { columns = 11, rows = 11, width = 0.8, height = 0.8 }\n\
         [[solid]]\nsphere = { centre = [0.0, 0.35, 0.0], radius = 0.25 }\nfriction = 0.6\n\
         [[solid]]\nground = { height = 0.0 }\n",
    );
    folder.line("settle ball.toml --format obj --rest 1e-2").fine();
    let mesh = taut::mesh_io::read(folder.0.join("out/ball_rest.obj")).unwrap();
    let highest = mesh.positions.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!((0.59..0.66).contains(&highest), "{highest} m: the ball's top is at 0.6 m");
}

/// Options change the numbers they name and leave the others as the scene has them.
#[test]
fn options_add_to_the_scenes_method() {
    let folder = Folder::new("options");
    let run = |line: &str| folder.line(&format!("run {line} --frames 2 --format none --json")).fine().json();
    folder.write("loose.toml", &method("hybrid", "tolerance = 1e-3"));
    folder.write("tight.toml", &method("hybrid", "tolerance = 1e-3\niterations = 7"));
    let (loose, more) = (run("loose.toml"), run("loose.toml --iterations 900"));
    assert_eq!(loose["hash"], more["hash"], "the scene's tolerance still ends the steps");
    let exact = run("loose.toml --tolerance 0");
    assert!(exact["residual"].as_f64().unwrap() < 1e-9, "{exact}");
    assert!(run("tight.toml")["iterations"].as_u64().unwrap() <= 14);
    // A method of its own comes with its own numbers: seven iterations would not do.
    assert!(run("tight.toml --method newton")["residual"].as_f64().unwrap() < 1e-9);
    // A tolerance lifts the limit of ten iterations.
    let fine = run("curtain21 --tolerance 1e-2");
    assert!(
        fine["residual"].as_f64().unwrap() <= 1e-2 && fine["iterations"].as_u64().unwrap() > 20,
        "{fine}"
    );
    // So does a budget, which ends a step after one iteration at least.
    let counted = |budget: &str| {
        run(&format!("curtain21 --method local_global --budget {budget}"))["iterations"].clone()
    };
    assert_eq!(counted("1e-9"), 2);
    assert!(counted("0.2").as_u64().unwrap() > 20);
}

fn method(name: &str, numbers: &str) -> String {
    format!(
        "[method]\nname = \"{name}\"\n{numbers}\n[[body]]\nperturbation = 1e-3\n\
         grid = {{ columns = 9, rows = 9, width = 1.0, height = 1.0 }}\n[[pin]]\nat = [\"top\"]\n"
    )
}

/// A fabric's damping is a default, not a floor.
#[test]
fn damping_of_the_scene_overrides_that_of_the_fabric() {
    let scene = |damping: &str| {
        let text = format!(
            "{damping}\n[[body]]\nfabric = \"wool\"\n\
             grid = {{ columns = 5, rows = 5, width = 1.0, height = 1.0 }}\n"
        );
        taut::Scene::parse("wool", &text, None).unwrap().settings.damping.material
    };
    assert_eq!(scene(""), 0.010);
    assert_eq!(scene("[damping]\nether = 0.9"), 0.010);
    assert_eq!(scene("[damping]\nmaterial = 0.0"), 0.0);
}

/// A sheet that an event lets go hangs from its pins when it is settled, and does not lie on the ground.
#[test]
fn settling_is_with_the_pins_of_the_start() {
    let folder = Folder::new("pins");
    let text = "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\nposition = [0.0, 2.0, 0.0]\n\
                [[pin]]\nname = \"top\"\nat = [\"top\"]\n[[solid]]\nground = { height = 0.0 }\n\
                [[event]]\ntime = 0.1\nrelease = \"top\"\n";
    folder.write("drop.toml", text);
    let settled = folder.line("settle drop.toml --format none --rest 1e-3 --json").fine().json();
    let gravity = settled["energy"]["gravity"].as_f64().unwrap();
    assert!(gravity > 10.0, "a kilogram 1.5 m up, not on the ground: {gravity} J");
}

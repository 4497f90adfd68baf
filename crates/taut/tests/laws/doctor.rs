//! Every finding is provoked by one change to a healthy model, and the healthy models have none.

use taut::doctor::{Diagnosis, Severity, examine};
use taut::shapes::{Field, Grid, Mass, Solid, Strands, published};
use taut::{DVec3, Model, Spring, State};

const STEP: f64 = 1.0 / 30.0;

fn cloth() -> Model {
    Grid { columns: 6, rows: 5, ..Grid::default() }.build().unwrap()
}

fn ball() -> Model {
    let mesh = Field::ball(DVec3::ZERO, 0.5).lattice(0.25).unwrap();
    Solid { name: "ball".into(), ..Solid::default() }.build(&mesh.positions, &mesh.tets).unwrap()
}

fn check(model: &Model) -> Diagnosis {
    examine(model, &State::at_rest(model), STEP)
}

/// Exactly one finding, of this severity, which says all of these words.
fn one(diagnosis: &Diagnosis, severity: Severity, words: &[&str]) {
    assert_eq!(diagnosis.findings.len(), 1, "{diagnosis}");
    assert_eq!(diagnosis.worst(), Some(severity), "{diagnosis}");
    says(diagnosis, words);
}

/// Some finding says all of these words.
fn says(diagnosis: &Diagnosis, words: &[&str]) {
    let says = |text: String| words.iter().all(|w| text.contains(w));
    let mut findings = diagnosis.findings.iter();
    assert!(findings.any(|f| says(format!("{} -> {}", f.what, f.remedy))), "{words:?} not in\n{diagnosis}");
}

/// Change a cloth and look at it in its rest pose.
fn changed(change: impl FnOnce(&mut Model)) -> Diagnosis {
    let mut model = cloth();
    change(&mut model);
    check(&model)
}

#[test]
fn healthy_models_have_no_findings() {
    let healthy = [
        Grid::default().build(),
        Strands::default().build(),
        published::curtain(81),
        published::brush(),
        published::hippo(),
        published::frog(),
        published::dog(),
        Ok(ball()),
        Ok(cloth()),
        Ok(Model::default()),
    ];
    for model in healthy.map(Result::unwrap) {
        let diagnosis = check(&model);
        assert_eq!(diagnosis.findings, [], "{diagnosis}");
        assert!(diagnosis.to_string().ends_with("nothing suspicious found\n"));
        let mut pinned = State::at_rest(&model);
        (0..model.particles()).for_each(|i| pinned.pin(i));
        assert_eq!(examine(&model, &pinned, STEP).findings, []);
    }
    // Several bodies, one of them held: the other is meant to fall.
    let mut scene = cloth();
    scene.append(&ball());
    let mut state = State::at_rest(&scene);
    state.pin(0);
    assert_eq!(examine(&scene, &state, STEP).findings, []);
}

#[test]
fn what_the_model_itself_warns_of_is_found_with_a_remedy() {
    let repeated = changed(|m| m.springs.push(m.springs[3]));
    one(&repeated, Severity::Warning, &["1 springs repeat", &(cloth().springs.len()).to_string(), "remove"]);
    let alone = changed(|m| {
        m.masses.push(m.masses[0]);
        m.rest.push(DVec3::Y * 0.1);
        m.body_of.push(0);
    });
    one(&alone, Severity::Warning, &["no spring", "number 30", "join"]);
    let flat = changed(|m| m.triangles.push([0, 1, 2]));
    one(&flat, Severity::Warning, &["no area", "number 40"]);
    let mut solid = ball();
    let t = solid.tets[0];
    solid.rest[t[3] as usize] = solid.rest[t[0] as usize];
    says(&check(&solid), &["tets have no volume"]);
}

#[test]
fn odd_springs_are_named() {
    let tiny = changed(|m| {
        m.rest[7] = m.rest[6] + DVec3::X * 0.003;
        let index = m.springs.iter().position(|s| s.ends == [6, 7]).unwrap();
        assert_eq!(index, 5);
        m.springs.iter_mut().for_each(|s| s.rest_length = m.rest[s.ab().0].distance(m.rest[s.ab().1]));
        m.triangles.clear();
    });
    one(&tiny, Severity::Warning, &["spring 5 is tiny", "0.003 m", "weld"]);

    let model = cloth();
    let mut state = State::at_rest(&model);
    state.positions[1] = state.positions[0];
    let collapsed = examine(&model, &state, STEP);
    says(&collapsed, &["spring 0 starts without length", "apart"]);

    let (mut longer, mut shorter) = (State::at_rest(&model), State::at_rest(&model));
    longer.positions.iter_mut().for_each(|x| *x *= 2.1);
    one(&examine(&model, &longer, STEP), Severity::Warning, &["starts at 2.1 times its rest length"]);
    shorter.positions.iter_mut().for_each(|x| *x *= 0.4);
    one(&examine(&model, &shorter, STEP), Severity::Warning, &["starts at 0.4 times its rest length"]);
    longer.positions.iter_mut().for_each(|x| *x *= 1.9 / 2.1);
    assert_eq!(examine(&model, &longer, STEP).findings, []);

    // Rest length zero is a kind of spring, not a slip.
    let drawn_in = changed(|m| m.springs.push(Spring::new(0, 29, 0.0, 1.0)));
    assert_eq!(drawn_in.findings, []);
}

#[test]
fn odd_triangles_and_tets_are_named() {
    let needle = changed(|m| m.triangles[9] = [6, 7, 8]);
    says(&needle, &["no area"]);
    let needle = changed(|m| {
        m.rest[7].z += 0.001;
        m.triangles.push([6, 7, 8]);
    });
    one(&needle, Severity::Warning, &["triangle 40 is a needle", "400 times"]);

    let mut solid = ball();
    let t = solid.tets[5];
    let [a, b, c] = [0, 1, 2].map(|i| solid.rest[t[i] as usize]);
    let normal = (b - a).cross(c - a).normalize() * 1e-5;
    solid.rest[t[3] as usize] = (a + b + c) / 3.0 + normal;
    says(&check(&solid), &["tet 5 is flat"]);

    let solid = ball();
    let mut mirrored = State::at_rest(&solid);
    mirrored.positions.iter_mut().for_each(|x| x.x = -x.x);
    let count = format!("the worst of {}", solid.tets.len());
    one(&examine(&solid, &mirrored, STEP), Severity::Warning, &["tet 0 starts inside out", &count]);
}

#[test]
fn broken_connections_are_named() {
    let cut = |m: &mut Model| {
        m.springs.retain(|s| (s.ends[0] < 12) == (s.ends[1] < 12));
        m.triangles.retain(|t| t.iter().all(|&i| (i < 12) == (t[0] < 12)));
        m.bodies.clear();
        m.body_of.clear();
    };
    one(&changed(cut), Severity::Warning, &["`model` is in 2 pieces of 18, 12 particles", "weld"]);
    let triangle = changed(|m| {
        cut(m);
        m.triangles.push([0, 1, 12]);
    });
    says(&triangle, &["triangle 30 joins particles [0, 1, 12] that no chain of springs connects"]);

    let brush = published::brush().unwrap();
    let mut state = State::at_rest(&brush);
    (0..brush.particles()).step_by(19).filter(|&i| i != 38).for_each(|i| state.pin(i));
    let words = ["1 of the 105 connected parts of body `brush` have no pin", "particle 38"];
    one(&examine(&brush, &state, STEP), Severity::Warning, &words);
}

#[test]
fn other_units_are_suspected() {
    let grid = |width: f64, mass: f64, stretch: f64| {
        let all =
            Grid { width, height: width, mass, stretch, shear: stretch, bend: stretch, ..Grid::default() };
        check(&all.build().unwrap())
    };
    let centimetres = grid(100.0, 1.0, 1000.0);
    says(&centimetres, &["141.4 m across", "did you mean metres", "centimetres", "scale = 0.01"]);
    says(&centimetres, &["1e-4 kg/m²", "0.01 to 10"]);
    says(&grid(400.0, 1e4, 1e3), &["565.7 m across", "millimetres", "scale = 0.001"]);
    says(&grid(5e-4, 1e-7, 1e-3), &["7.071e-4 m across", "scale = 1000"]);
    says(&grid(1.0, 1000.0, 1e6), &["1000 kg/m²", "grams", "0.001"]);
    one(&grid(1.0, 1.0, 0.1), Severity::Warning, &["would stretch", "%", "N/m"]);
    one(&grid(1.0, 1.0, 1e10).only_units(), Severity::Warning, &["would stretch", "thousandth"]);

    for (g, word) in [(981.0, "cm/s²"), (9810.0, "mm/s²"), (0.00981, "km/s²"), (1e6, "9.81")] {
        let diagnosis = changed(|m| {
            m.gravity = DVec3::new(0.0, -g, 0.0);
            m.springs.iter_mut().for_each(|s| s.stiffness *= 10.0);
        });
        says(&diagnosis, &["gravity is", word]);
    }
    assert_eq!(changed(|m| m.gravity = DVec3::ZERO).findings, []);
    assert_eq!(changed(|m| m.gravity = DVec3::X * 1.62).findings, [], "the moon");

    let solid = |density| {
        let mesh = Field::ball(DVec3::ZERO, 0.5).lattice(0.25).unwrap();
        let material = Solid { mass: Mass::Density(density), stiffness: 1e4, ..Solid::default() };
        check(&material.build(&mesh.positions, &mesh.tets).unwrap())
    };
    says(&solid(1e6), &["1e6 kg/m³", "grams"]);
    says(&solid(0.5), &["0.5 kg/m³", "1 to 30000"]);
    assert_eq!(solid(920.0).findings, []);
}

trait Units {
    fn only_units(self) -> Self;
}

impl Units for Diagnosis {
    /// Without notes on convergence, which very stiff models have as well.
    fn only_units(mut self) -> Self {
        self.findings.retain(|f| f.severity > Severity::Note);
        self
    }
}

#[test]
fn odd_time_steps_are_named() {
    let model = cloth();
    let with = |h| examine(&model, &State::at_rest(&model), h);
    one(&with(16.0).only_units(), Severity::Warning, &["16 s", "milliseconds (h = 0.016)", "h = 1/16"]);
    one(&with(1e-7), Severity::Warning, &["1e-7 s", "million steps"]);
    for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        says(&with(h), &["the time step is", "positive"]);
        assert_eq!(with(h).worst(), Some(Severity::Error));
    }
}

#[test]
fn slow_convergence_is_foretold() {
    let masses = changed(|m| m.masses[4] *= 2e-5);
    one(&masses, Severity::Warning, &["masses differ by a factor of 50000: particle 4", "newton"]);
    let stiffnesses = changed(|m| m.springs[4].stiffness *= 2e6);
    one(&stiffnesses, Severity::Warning, &["stiffnesses differ by a factor of 2e6", "spring 4 2e9 N/m"]);
    let stiff = changed(|m| m.springs.iter_mut().for_each(|s| s.stiffness *= 1e4));
    // h²k/m = 1e7 x 30 / 900.
    one(&stiff, Severity::Note, &["h²k/m of 3.333e5", "7.675e5 iterations per correct digit", "hybrid"]);
    // Pins have no inertia to speak of: their masses do not count.
    let mut model = cloth();
    model.masses[4] *= 2e-5;
    let mut state = State::at_rest(&model);
    state.pin(4);
    assert_eq!(examine(&model, &state, STEP).findings, []);
}

#[test]
fn what_cannot_be_simulated_is_an_error_and_not_a_panic() {
    one(&changed(|m| m.masses[3] = -1.0), Severity::Error, &["particle 3", "-1"]);
    one(&changed(|m| m.springs[2].ends = [0, 99]), Severity::Error, &["spring 2", "99"]);
    let model = cloth();
    let mut state = State::at_rest(&model);
    state.positions[8].y = f64::NAN;
    one(&examine(&model, &state, STEP), Severity::Error, &["particle 8"]);
    state.positions.pop();
    let diagnosis = examine(&model, &state, STEP);
    one(&diagnosis, Severity::Error, &["state", "30 entries"]);
    assert!(diagnosis.to_string().contains("not known"));
    let overflow = changed(|m| {
        m.masses[0] = 1e-300;
        m.springs[0].stiffness = 1e300;
    });
    assert_eq!(overflow.worst(), Some(Severity::Error));
    says(&overflow, &["too large for a number"]);
}

#[test]
fn the_report_reads_well() {
    let text = check(&Grid { width: 100.0, height: 100.0, ..Grid::default() }.build().unwrap()).to_string();
    for words in ["rad/s", "symplectic_euler", "divide the step by", "forward_euler", "warning: body `body`"]
    {
        assert!(text.contains(words), "{words} not in\n{text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 140), "{text}");
}

#[test]
fn repeated_triangles_are_named() {
    let repeated = changed(|m| m.triangles.push([m.triangles[4][1], m.triangles[4][0], m.triangles[4][2]]));
    one(&repeated, Severity::Warning, &["1 triangles repeat", "number 40", "remove"]);
}

/// What the model alone does not show: solids, pins and events around it.
#[test]
fn bodies_and_events_are_seen_in_their_scene() {
    let grid = "[[body]]\nname = \"rag\"\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n";
    let examined = |rest: &str| {
        let scene = taut::Scene::parse("s.toml", &format!("duration = 2.0\n{grid}{rest}"), None).unwrap();
        scene.examine()
    };
    one(&examined(""), Severity::Note, &["body `rag` has no pin and nothing below it", "[[pin]]"]);
    assert_eq!(examined("[[solid]]\nground = { height = -1.0 }\n").findings, []);
    let sunk = examined("[[solid]]\nsphere = { centre = [0.0, -0.2, 0.0], radius = 0.3 }\n");
    one(
        &sunk,
        Severity::Warning,
        &["`rag` starts with 1 particles inside solid 0, a sphere; the first is number 12 of", "0.1 m"],
    );
    let pin = "[[pin]]\nname = \"edge\"\nat = [\"top\"]\n";
    assert_eq!(examined(pin).findings, []);
    let order = examined(&format!("{pin}[method]\nname = \"baraff_witkin\"\nscheme = \"bdf2\"\n"));
    one(
        &order,
        Severity::Note,
        &["baraff_witkin with bdf2 is of first order where springs push or are damped", "20"],
    );
    let slack =
        grid.replace("height = 1.0 }", "height = 1.0 }\nfabric = \"silk\"\nsprings = \"extension_only\"");
    for (body, scheme, notes) in
        [(grid, "bdf2", 0), (&slack, "implicit_euler", 0), (&slack, "bdf2", 1), (&slack, "midpoint", 1)]
    {
        let text = format!("{body}{pin}[method]\nscheme = \"{scheme}\"\n");
        let said = taut::Scene::parse("s.toml", &text, None).unwrap().examine();
        let what = format!("{scheme} is of first order where springs with dampers become slack or taut");
        let found = said.findings.iter().filter(|f| f.severity == Severity::Note && f.what == what);
        assert_eq!(found.count(), notes, "{text}");
    }
    let late = examined(&format!("{pin}[[event]]\ntime = 2.0\nrelease = \"edge\"\n"));
    one(&late, Severity::Warning, &["event 0 at 2 s comes after the end at 2 s", "duration"]);
    let all = "[[pin]]\nname = \"all\"\nbox = [[-9.0, -9.0, -9.0], [9.0, 9.0, 9.0]]\n";
    one(&examined(all), Severity::Warning, &["every particle of body `rag` is pinned", "pin less"]);
    assert_eq!(examined(&format!("{all}[[event]]\ntime = 1.0\nrelease = \"all\"\n")).findings, []);
    let early = examined(&format!("{pin}[[event]]\ntime = -1.0\nrelease = \"edge\"\n"));
    one(&early, Severity::Warning, &["event 0 at -1 s comes before the start"]);
}

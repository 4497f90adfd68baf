//! What a page may count on: replies it can read, hands that lead, edits that can be taken back, requests that cannot harm.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use taut_live::Live;

/// Sections of a reply by their tags.
struct Sections(BTreeMap<String, Vec<u8>>);

impl Sections {
    fn read(mut bytes: &[u8]) -> Self {
        let mut found = BTreeMap::new();
        while !bytes.is_empty() {
            let tag = String::from_utf8(bytes[..4].to_vec()).unwrap();
            let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
            let (own, rest) = bytes[8..].split_at(length.next_multiple_of(8));
            assert!(own[length..].iter().all(|b| *b == 0), "{tag} is filled up with zeros");
            assert!(found.insert(tag, own[..length].to_vec()).is_none(), "each section is there once");
            bytes = rest;
        }
        Sections(found)
    }

    fn json(&self, tag: &str) -> Value {
        serde_json::from_slice(&self.0[tag]).unwrap()
    }

    fn floats(&self, tag: &str) -> Vec<f32> {
        self.0[tag].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn numbers(&self, tag: &str) -> Vec<u32> {
        self.0[tag].chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn place(&self, particle: usize) -> [f32; 3] {
        self.floats("POSI")[3 * particle..][..3].try_into().unwrap()
    }

    fn report(&self) -> Value {
        self.json("RPRT")
    }
}

fn ask(live: &mut Live, request: &Value) -> Sections {
    Sections::read(live.exchange(request.to_string().as_bytes()))
}

fn opened(text: &str) -> Live {
    let mut live = Live::default();
    let report = ask(&mut live, &json!({ "commands": [["open", text]] })).report();
    assert_eq!(report["errors"], json!([]));
    live
}

fn hash(live: &mut Live) -> String {
    ask(live, &json!({ "commands": [["hash"]] })).report()["hash"].as_str().unwrap().to_string()
}

const CLOTH: &str = r#"
    [contact]
    level = "off"
    [[body]]
    grid = { columns = 11, rows = 11, width = 1.0, height = 1.0 }
    [[pin]]
    at = ["top_left", "top_right"]
    [[solid]]
    sphere = { centre = [0.0, -0.5, 0.0], radius = 0.2 }
    [[solid]]
    ground = { height = -1.5 }
"#;

#[test]
fn a_topology_comes_once_and_agrees_with_itself() {
    let mut live = opened(CLOTH);
    let reply = ask(&mut live, &json!({ "topology": 0, "want": ["strain", "components", "energy"] }));
    let topology = reply.json("TOPO");
    let particles = topology["particles"].as_u64().unwrap();
    assert_eq!((particles, reply.floats("POSI").len()), (121, 363));
    assert!(reply.numbers("TRIS").iter().chain(&reply.numbers("SPRI")).all(|&i| u64::from(i) < particles));
    assert_eq!(reply.numbers("PINS"), [0, 10]);
    let springs = topology["facts"]["springs"].as_u64().unwrap() as usize;
    assert_eq!((reply.floats("STRN").len(), reply.0["SPFA"].len()), (springs, springs));
    assert_eq!(reply.0["COMP"].len(), 2 * 121);
    let statics = &topology["statics"];
    assert_eq!(statics.as_array().unwrap().len(), 1, "the ground is not among them");
    assert_eq!(reply.floats("STAT").len() as u64, 3 * statics[0]["vertices"].as_u64().unwrap());
    assert_eq!(reply.numbers("STCO").len() as u64, 3 * statics[0]["triangles"].as_u64().unwrap());
    assert!(reply.report()["energy"]["gravity"].is_number());
    let version = topology["version"].as_u64().unwrap();
    let again = ask(&mut live, &json!({ "topology": version }));
    assert!(!again.0.contains_key("TOPO") && !again.0.contains_key("STRN"));
}

/// Particle 60, the middle, is led over three steps and is each time a third of the way further.
#[test]
fn a_hand_leads_evenly_and_lets_go() {
    let mut live = opened(CLOTH);
    let start = ask(&mut live, &json!({})).place(60);
    let h = ask(&mut live, &json!({})).report()["h"].as_f64().unwrap();
    let target = [0.3, 0.4, 0.1];
    let held =
        ask(&mut live, &json!({ "commands": [["grab", [60, 61], target], ["step", 1]], "until": 3.0 * h }));
    assert_eq!(held.report()["taken"], 3);
    assert_eq!(held.place(60), target.map(|x| x as f32));
    let beside = held.place(61);
    assert!((beside[0] - held.place(60)[0] - 0.1).abs() < 1e-6, "{beside:?} keeps its offset");
    // The same in three exchanges, with the hand announced to be at thirds of the way.
    let mut other = opened(CLOTH);
    for k in 1..=3 {
        let share = f64::from(k) / 3.0;
        let place: Vec<f64> =
            (0..3).map(|i| f64::from(start[i]) + share * (target[i] - f64::from(start[i]))).collect();
        ask(&mut other, &json!({ "commands": [["grab", [60, 61], place], ["step", 1]] }));
    }
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let settled = ask(&mut other, &json!({}));
    assert!(near(settled.place(60), held.place(60)) && near(settled.place(0), held.place(0)));
    assert_eq!(held.report()["holding"], json!([60, 61]));
    let free = ask(&mut live, &json!({ "commands": [["drop"], ["step", 5]] }));
    assert_eq!(free.report()["holding"], Value::Null);
    assert!(free.place(60)[1] < 0.4, "it falls again");
}

/// Whatever is asked for, what is held stays out of solids.
#[test]
fn a_hand_slides_along_solids() {
    let mut live = opened(CLOTH);
    for (step, target) in [[0.0, -0.5, 0.0], [0.0, -0.9, 0.05], [0.1, -3.0, 0.0]].iter().enumerate() {
        for _ in 0..8 {
            let reply = ask(&mut live, &json!({ "commands": [["grab", [60], target], ["step", 4]] }));
            let [x, y, z] = reply.place(60).map(f64::from);
            let sphere = (x * x + (y + 0.5) * (y + 0.5) + z * z).sqrt();
            assert!(sphere > 0.2 && y > -1.5, "target {step}: {x} {y} {z}");
        }
    }
}

#[test]
fn a_stroke_parts_the_cloth_and_is_taken_back() {
    let mut live = opened(CLOTH);
    ask(&mut live, &json!({ "commands": [["step", 3]] }));
    let before = hash(&mut live);
    let version = ask(&mut live, &json!({})).report()["version"].as_u64().unwrap();
    let stroke = json!([[-0.05, 0.5, -2.0], [-0.05, 0.5, 2.0]]);
    let cut = ask(
        &mut live,
        &json!({ "topology": version,
        "commands": [["cut", [-0.05, 3.0, 0.0], stroke], ["step", 1]] }),
    );
    assert_eq!(cut.report()["parted"]["pieces"], 2);
    assert_eq!((cut.json("TOPO")["particles"].as_u64(), cut.numbers("PARE").len()), (Some(132), 22));
    let back = ask(&mut live, &json!({ "topology": 0, "commands": [["undo"], ["hash"]] }));
    assert_eq!((back.report()["hash"].as_str(), back.report()["edits"].as_u64()), (Some(&*before), Some(0)));
    assert_eq!(back.json("TOPO")["particles"], 121);
}

/// The picture is of what was cut, however many steps an exchange takes after it, and before there is one.
#[test]
fn what_is_cut_is_shown_at_once() {
    let stroke = json!(["cut", [-0.05, 3.0, 0.0], [[-0.05, 0.5, -2.0], [-0.05, 0.5, 2.0]]]);
    for (commands, scene) in [
        (json!([stroke, ["step", 5]]), CLOTH.to_string()),
        (json!([stroke]), CLOTH.to_string()),
        (json!([["punch", 60]]), CLOTH.to_string()),
        (json!([["step", 5]]), format!("{CLOTH}\n[[event]]\ntime = 0.01\ncut_at = [60]")),
    ] {
        let mut live = opened(&scene);
        let before = ask(&mut live, &json!({ "topology": 0 })).json("TOPO");
        let reply = ask(&mut live, &json!({ "topology": before["version"], "commands": commands }));
        let shown = reply.json("TOPO");
        assert_eq!(reply.floats("POSI").len() as u64, 3 * shown["particles"].as_u64().unwrap());
        let cut = shown["particles"] != 121 || shown["facts"]["triangles"] != before["facts"]["triangles"];
        assert!(cut, "{commands}");
        if reply.report()["taken"] == 5 {
            assert!(reply.report()["parted"]["removed"].as_u64() > Some(0));
        }
    }
}

/// What was done is saved as events of the scene, which then does the same by itself, to the bit.
#[test]
fn a_saved_scene_does_it_again() {
    let mut live = opened(CLOTH);
    let commands = [
        json!([["grab", [60, 61], [0.3, 0.4, 0.1]], ["step", 7]]),
        json!([["grab", [60, 61], [-0.2, 0.1, 0.3]], ["step", 5], ["set", "wind", [0.1, 0, 1.0 / 3.0]]]),
        json!([["drop"], ["pin", [110]], ["step", 3]]),
        json!([["cut", [-0.05, 3.0, 0.0], [[-0.05, 0.5, -2.0], [-0.05, 0.5, 2.0]]], ["step", 4]]),
        json!([["set", "iterations", 4], ["set", "stiffness.bend", 0.3], ["step", 1]]),
        json!([["punch", 72], ["solid", 0, [0, 0, 0.6, 0.8], [0.1, 0, 0]], ["step", 300]]),
        json!([["undo"], ["undo"], ["step", 9]]),
    ];
    for commands in &commands {
        let report = ask(&mut live, &json!({ "commands": commands })).report();
        assert_eq!(report["errors"], json!([]), "{commands}");
    }
    let steps = ask(&mut live, &json!({})).report()["step"].as_u64().unwrap();
    let reply = ask(&mut live, &json!({ "commands": [["save"], ["hash"]] }));
    let saved = String::from_utf8(reply.0["TOML"].clone()).unwrap();
    let scene = taut::Scene::parse("saved", &saved, None).unwrap();
    assert!(scene.frames as u64 * scene.substeps as u64 >= steps, "it lasts as long as it was played");
    let mut again = opened(&saved);
    let report = ask(&mut again, &json!({ "commands": [["step", steps], ["hash"]] })).report();
    assert_eq!((report["step"].as_u64(), &report["hash"]), (Some(steps), &reply.report()["hash"]));
}

#[test]
fn what_is_refused_changes_nothing_and_says_why() {
    let mut live = opened(CLOTH);
    ask(&mut live, &json!({ "commands": [["step", 2]] }));
    let before = hash(&mut live);
    for (command, about) in [
        (json!(["grab", [500], [0, 0, 0]]), "particle 500"),
        (json!(["grab", [], [0, 0, 0]]), "argument 1"),
        (json!(["grab", [1], [0, 0]]), "argument 2"),
        (json!(["pin", [-1]]), "argument 1"),
        (json!(["cut", [0, 0, 0], [[0, 0, 0]]]), "two at least"),
        (json!(["solid", 7, [0, 0, 0, 1], [0, 0, 0]]), "only 1"),
        (json!(["solid", 0, [0, 0, 0, 0], [0, 0, 0]]), "quaternion"),
        (json!(["body", 0, [0, 0, 0, 1], [0, 0, 0]]), "solid"),
        (json!(["set", "time_step", -1.0]), "time step"),
        (json!(["set", "method", "newtn"]), "newton"),
        (json!(["set", "iterations", -3]), "iterations"),
        (json!(["set", "stiffness.stretch", 0.0]), "stiffness.stretch"),
        (json!(["set", "colour", 1]), "colour"),
        (json!(["undo"]), "no edit"),
        (json!(["scene", "nowhere"]), "nowhere"),
        (json!(["open", "[[body]]\ngrid = { columns = 1, rows = 2, width = 1.0, height = 1.0 }"]), "columns"),
        (json!(["open", "[[body]]\nmesh = { file = \"/etc/passwd\" }"]), "file"),
        (json!(["fly"]), "fly"),
        (json!("grab"), "list"),
        (json!([3]), "word"),
    ] {
        let report = ask(&mut live, &json!({ "commands": [command] })).report();
        let message = report["errors"][0]["message"].as_str().unwrap_or_default().to_string();
        assert!(message.contains(about), "{command}: {message:?} does not say {about:?}");
        assert_eq!(
            (report["errors"].as_array().unwrap().len(), hash(&mut live)),
            (1, before.clone()),
            "{command}"
        );
    }
    let report = ask(&mut live, &json!({ "commands": [["open", "[[body]]\nmesh = 3"]] })).report();
    assert_eq!(report["errors"][0]["line"], 2, "{report}");
}

/// Each setting takes hold, is reported, and can be taken back; a slider that moves is taken back as one.
#[test]
fn settings_change_and_return() {
    let mut live = opened(CLOTH);
    for (key, value, at) in [
        ("method", json!("newton"), "/settings/method"),
        ("method", json!("conjugate_gradient"), "/settings/method"),
        ("iterations", json!(7), "/settings/iterations"),
        ("tolerance", json!(1e-3), "/settings/tolerance"),
        ("accuracy", json!(0.01), "/settings/accuracy"),
        ("scheme", json!("bdf2"), "/settings/scheme"),
        ("precision", json!("double"), "/settings/precision"),
        ("time_step", json!(0.002), "/settings/time_step"),
        ("gravity", json!([0.0, -1.0, 0.0]), "/settings/gravity"),
        ("wind", json!([1.0, 0.0, 0.0]), "/settings/wind"),
        ("damping.material", json!(0.01), "/settings/damping/material"),
        ("stiffness.stretch", json!(2.0), "/settings/stiffness/stretch"),
        ("contact.level", json!("fast"), "/settings/contact"),
    ] {
        let report = ask(&mut live, &json!({ "commands": [["set", key, value], ["step", 1]] })).report();
        assert_eq!((&report["errors"], report.pointer(at)), (&json!([]), Some(&value)), "{key}");
    }
    let report =
        ask(&mut live, &json!({ "commands": [["set", "wind", [2, 0, 0]], ["set", "wind", [3, 0, 0]]] }))
            .report();
    let depth = report["undo"].as_u64().unwrap();
    let back = ask(&mut live, &json!({ "commands": [["undo"]] })).report();
    assert_eq!(back["settings"]["wind"], json!([1.0, 0.0, 0.0]));
    assert_eq!(back["undo"].as_u64(), Some(depth - 1));
}

#[test]
fn an_explicit_method_that_explodes_stops_and_is_told_a_step() {
    let mut live = opened(CLOTH);
    let set = json!([["set", "method", "symplectic_euler"], ["step", 200]]);
    let report = ask(&mut live, &json!({ "commands": set })).report();
    let step = report["remedy"]["time_step"].as_f64().expect("a step at which it is stable");
    assert!(report["stopped"].as_str().is_some_and(|why| why.contains("last good state")), "{report}");
    let report = ask(
        &mut live,
        &json!({ "commands": [["restart"], ["set", "method", "symplectic_euler"],
        ["set", "time_step", step], ["step", 2000]] }),
    )
    .report();
    assert_eq!((&report["stopped"], report["taken"].as_u64()), (&Value::Null, Some(2000)));
}

/// Requests with bytes changed, cut off or put in the wrong place are answered, and the simulation goes on.
#[test]
fn no_request_does_harm() {
    let mut live = opened(CLOTH);
    let good = json!({ "until": 0.01, "topology": 0, "want": ["strain", "error"], "commands": [
        ["grab", [60, 61], [0.1, 0.2, 0.3]], ["drop"], ["pin", [5]], ["cut", [0, 3, 0], [[-1, 0, 0], [1, 0, 0.1]]],
        ["solid", 0, [0, 0, 0, 1], [0.1, 0, 0]], ["set", "wind", [1, 0, 0]], ["undo"], ["save"], ["hash"]] });
    let good = good.to_string().into_bytes();
    let mut random = 12345_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for round in 0..1000 {
        let mut bytes = good.clone();
        for _ in 0..1 + next(4) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"0123456789[]{},\"-.eE"[next(20)],
                2 => drop(bytes.remove(at.min(bytes.len() - 1))),
                _ => bytes.insert(at, b"9[{,"[next(4)]),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let reply = Sections::read(live.exchange(&bytes));
        assert!(reply.report()["errors"].is_array(), "round {round}");
        assert!(reply.floats("POSI").iter().all(|x| x.is_finite()), "round {round}");
    }
}

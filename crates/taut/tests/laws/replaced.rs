//! Scenes with some keys replaced, and scenes from tables: the same as from text; mistakes name the key.

use taut::scene::{BUILTIN, Table, Value};
use taut::{Scene, measure};

fn value(text: &str) -> Value {
    toml_of(&format!("v = {text}"))["v"].clone()
}

fn toml_of(text: &str) -> Table {
    text.parse().unwrap()
}

/// Nothing replaced, nothing changed, in any scene: text that was written here is read as the same scene.
#[test]
fn written_scenes_are_the_same() {
    for builtin in BUILTIN {
        let scene = Scene::load(builtin.name).unwrap();
        let same = scene.replace(&[]).unwrap();
        assert_eq!(same.model, scene.model, "{}", builtin.name);
        assert_eq!(same.state, scene.state, "{}", builtin.name);
        assert_eq!(same.settings, scene.settings, "{}", builtin.name);
        assert_eq!((&same.events, &same.obstacles), (&scene.events, &scene.obstacles), "{}", builtin.name);
        let facts = |s: &Scene| (s.name.clone(), s.title.clone(), s.frames, s.substeps);
        assert_eq!(facts(&same), facts(&scene));
        assert_eq!(same.replace(&[]).unwrap().text, same.text, "writing again changes nothing");
        let tables = Scene::from_tables(builtin.name, &toml_of(builtin.text), None).unwrap();
        assert_eq!((tables.text, tables.hash), (same.text, same.hash));
    }
}

#[test]
fn keys_are_replaced_and_tables_made() {
    let scene = Scene::load("curtain21").unwrap();
    let changed = scene
        .replace(&[
            ("body.0.stretch", 80.0.into()),
            ("body.0.grid.columns", 11.into()),
            ("method.iterations", 20.into()),
            ("air.wind", value("[1.0, 0.0, 0.1]")),
            ("title", "a \"quoted\" title\n".into()),
        ])
        .unwrap();
    assert_eq!(changed.model.springs[0].stiffness, 80.0);
    assert_eq!(changed.model.particles(), 11 * 21);
    assert_eq!(changed.model.air.wind.z, 0.1);
    assert_eq!(changed.title, "a \"quoted\" title\n");
    assert_ne!(changed.hash, scene.hash);
    let by_hand = scene.text.replace("stretch = 1000.0", "stretch = 80.0");
    let by_hand = Scene::parse("curtain21", &by_hand, None).unwrap();
    let replaced = scene.replace(&[("body.0.stretch", 80.into())]).unwrap();
    assert_eq!(replaced.model, by_hand.model);
    let [mut one, mut other] = [replaced, by_hand].map(|scene| scene.simulation().unwrap());
    one.step().unwrap();
    other.step().unwrap();
    assert_eq!(measure::hash(one.state()), measure::hash(other.state()));
}

#[test]
fn mistakes_name_the_key() {
    let scene = Scene::load("curtain21").unwrap();
    let mistakes: &[(&str, &str, &str)] = &[
        ("body.0.stretch", "-1.0", "curtain21: body.0.stretch = -1"),
        ("body.0.stretch", "nan", "body.0.stretch = NaN"),
        ("body.0.stretch", "\"soft\"", "body.0.stretch = \"soft\"; must be a number"),
        ("body.0.strech", "1.0", "body.0.strech: unknown key `strech`; did you mean `stretch`?"),
        ("body.0.grid.columns", "1", "body.0.grid: columns = 1"),
        ("body.1.stretch", "1.0", "key = body.1: here are 1 in a list"),
        ("body.first.stretch", "1.0", "key = body.first: here are 1 in a list"),
        ("duration", "-1.0", "curtain21: duration = -1"),
        ("duration.long", "1.0", "key = duration.long: `duration` is a value, which has no keys"),
        ("method.name", "\"newtin\"", "method.name = \"newtin\"; did you mean `newton`?"),
        ("method.iterations", "20.5", "method.iterations = 20.5; must be a whole number"),
        ("methode.name", "\"newton\"", "unknown key `methode`; did you mean `method`?"),
        ("body", "3", "body"),
        ("body", "[3]", "body.0"),
        ("", "3", "key = \"\": must be names and numbers between dots"),
        ("body..stretch", "3", "key = \"body..stretch\""),
    ];
    for &(key, text, words) in mistakes {
        let message = scene.replace(&[(key, value(text))]).unwrap_err().to_string();
        assert!(message.contains(words), "{key} = {text}: {message}");
        assert!(!message.contains('\n') && !message.contains("curtain21:1"), "{message}");
    }
    let message = Scene::from_tables("mine", &Table::new(), None).unwrap_err().to_string();
    assert!(message.contains("mine: the scene has no body"), "{message}");
}

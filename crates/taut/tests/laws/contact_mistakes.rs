//! Numbers and words about contact that cannot be meant: one error each, with its file, line, value and remedy.

use taut::Scene;

#[test]
fn bad_numbers_and_words_are_named() {
    let body = |line: &str| {
        format!("[[body]]\ngrid = {{ columns = 5, rows = 5, width = 1.0, height = 1.0 }}\n{line}\n")
    };
    let contact = |line: &str| format!("[contact]\n{line}\n{}", body(""));
    let solid = |line: &str| format!("{}[[solid]]\nground = {{}}\n{line}\n", body(""));
    let keys = "move = { path = [[1.0, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0]] }";
    let at = "must be zero or more";
    for (text, words) in [
        (body("thickness = -0.01"), ["s.toml:3", "thickness = -0.01", at]),
        (body("thickness = nan"), ["s.toml:3", "thickness = NaN", at]),
        (body("thickness = inf"), ["s.toml:3", "thickness = inf", at]),
        (body("friction = -0.1"), ["s.toml:3", "friction = -0.1", at]),
        (body("friction = nan"), ["s.toml:3", "friction = NaN", at]),
        (solid("friction = -1.0"), ["s.toml:6", "friction = -1", at]),
        (solid("friction = inf"), ["s.toml:6", "friction = inf", at]),
        (contact("level = \"exat\""), ["s.toml:2", "level = \"exat\"", "did you mean `exact`"]),
        (contact("level = \"all\""), ["s.toml:2", "level = \"all\"", "levels are"]),
        (contact("pinch = \"stp\""), ["s.toml:2", "pinch = \"stp\"", "did you mean `stop`"]),
        (contact("rounds = 5000"), ["s.toml:2", "rounds = 5000", "at most 1000"]),
        (solid(keys), ["s.toml:6", "path", "must increase"]),
    ] {
        let error = Scene::parse("s.toml", &text, None).map(|_| ()).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
    }
}

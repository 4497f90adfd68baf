//! Bodies among themselves at the start: what crosses already, and cloth that is thicker than its mesh has room for.

use super::Scene;
use crate::collision::{Capped, Layers, Level};
use crate::doctor::{Finding, Severity, short};

pub(super) fn bodies(scene: &Scene, out: &mut Vec<Finding>) {
    let level = scene.settings.contact.level;
    if level == Level::Off {
        return;
    }
    let Ok(mut layers) = Layers::new(scene.settings.contact, &scene.model, &scene.state) else { return };
    let (crossed, capped) = layers.examine(&scene.state);
    if let Some(what) = crossed {
        let (severity, remedy) = match layers.refuses() {
            true => (
                Severity::Error,
                "move them apart, or choose level = \"fast\" in [contact], which leaves them alone until they are apart",
            ),
            false => (
                Severity::Warning,
                "move them apart, or let one body be without self_collide or collide; they are left alone until they \
                 are apart",
            ),
        };
        out.push(Finding::new(severity, what, remedy));
    }
    out.extend(capped.into_iter().map(|(body, capped)| thick(scene, body, capped)));
}

/// Of a body whose own mesh is finer than it is thick.
fn thick(scene: &Scene, body: usize, Capped { pairs, nearest }: Capped) -> Finding {
    let what = format!(
        "thickness of body `{}` is {} m, but {pairs} pairs of its own points, edges and faces are nearer than that allows \
         at rest, the nearest by {} m",
        scene.model.body_name(body),
        short(scene.model.skin(body).thickness.unwrap_or_default()),
        short(nearest)
    );
    let remedy = format!(
        "these are kept 0.9 of their distance at rest apart; lower the thickness to {} m for all to be alike",
        short(0.9 * nearest)
    );
    Finding::new(Severity::Warning, what, remedy)
}

//! Bodies among themselves at the start: what crosses already, and cloth that is thicker than its mesh has room for.

use super::{Finding, Severity, short};
use crate::collision::{Capped, ContactSettings, Layers, Level};
use crate::{Model, State};

/// What of a model in a given pose crosses, and bodies thicker than their own meshes have room for; nothing if contact
/// is off, or if the model is not valid.
pub fn examine_contact(model: &Model, state: &State, contact: ContactSettings) -> Vec<Finding> {
    let mut out = Vec::new();
    if contact.level == Level::Off || model.validate().and_then(|()| state.validate(model)).is_err() {
        return out;
    }
    let Ok(mut layers) = Layers::new(contact, model, state) else { return out };
    let (crossed, capped) = layers.examine(state);
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
    out.extend(capped.into_iter().map(|(body, capped)| thick(model, body, capped)));
    out
}

/// Of a body whose own mesh is finer than it is thick.
fn thick(model: &Model, body: usize, Capped { pairs, nearest }: Capped) -> Finding {
    let what = format!(
        "thickness of body `{}` is {} m, but {pairs} pairs of its own points, edges and faces are nearer than that allows \
         at rest, the nearest by {} m",
        model.body_name(body),
        short(model.skin(body).thickness.unwrap_or_default()),
        short(nearest)
    );
    let remedy = format!(
        "these are kept 0.9 of their distance at rest apart; lower the thickness to {} m for all to be alike",
        short(0.9 * nearest)
    );
    Finding::new(Severity::Warning, what, remedy)
}

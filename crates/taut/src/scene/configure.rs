//! Settings, and solids, by the words of a scene, for programs that have no scene.

use super::method::{choose, method};
use super::place::Source;
use super::replace::written;
use super::text::{ContactText, DampingText, LimitText, MethodText, ShapeText};
use super::{Table, Value};
use crate::collision::Obstacle;
use crate::{Damping, Error, Method, Model, Settings, StrainLimit};
use serde::Deserialize;
use serde_json::json;
use toml::Spanned;

/// Changes of settings, as they are written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsText {
    time_step: Option<f64>,
    scheme: Option<String>,
    precision: Option<String>,
    conserve: Option<f64>,
    method: Option<MethodText>,
    damping: Option<DampingText>,
    limit: Option<LimitText>,
    contact: Option<ContactText>,
}

impl Settings {
    /// The same settings with some changed, by the keys of a scene's tables `method`, `damping`, `limit` and `contact` and
    /// the names of the fields here. A method may be a word, no limit is `false`; what a table does not name stays, but a
    /// method of another name begins with its usual numbers.
    ///
    /// ```
    /// use taut::{Method, Settings};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let usual = Settings::new(Method::default(), 1.0 / 30.0);
    /// let changes = "method = { name = \"newton\", tolerance = 1e-6 }\ndamping = { drag = 0.1 }";
    /// let changed = usual.changed(&changes.parse().expect("TOML"))?;
    /// assert_eq!((changed.method.name(), changed.damping.drag), ("newton", 0.1));
    /// let error = usual.changed(&"method = \"newtin\"".parse().expect("TOML")).unwrap_err();
    /// assert_eq!(error.to_string(), "method.name = \"newtin\": did you mean `newton`?");
    /// # Ok(()) }
    /// ```
    pub fn changed(&self, changes: &Table) -> Result<Self, Error> {
        let mut changes = changes.clone();
        if let Some(word) = changes.get("method").filter(|method| method.is_str()).cloned() {
            changes.insert("method".into(), Value::Table(Table::from_iter([("name".to_string(), word)])));
        }
        let unlimited = changes.get("limit") == Some(&Value::Boolean(false));
        if unlimited {
            changes.remove("limit");
        }
        let text: SettingsText = read(&changes, "settings")?;
        let mut new = self.clone();
        new.time_step = text.time_step.unwrap_or(new.time_step);
        new.conserve = text.conserve.unwrap_or(new.conserve);
        if let Some(own) = &text.method {
            new.method = method(own, new.method).map_err(|e| within("method", e))?;
            new.precision =
                choose(own.precision.as_deref(), new.precision).map_err(|e| within("method", e))?;
            if new.method.check_scheme(new.scheme).is_err() {
                new.scheme = Default::default();
            }
            new.scheme = choose(own.scheme.as_deref(), new.scheme).map_err(|e| within("method", e))?;
        }
        new.scheme = choose(text.scheme.as_deref(), new.scheme)?;
        new.precision = choose(text.precision.as_deref(), new.precision)?;
        if let Some(own) = text.damping {
            let Damping { ether, rigid, drag, material } = new.damping;
            new.damping = Damping {
                ether: own.ether.unwrap_or(ether),
                rigid: own.rigid.unwrap_or(rigid),
                drag: own.drag.unwrap_or(drag),
                material: own.material.unwrap_or(material),
            };
            new.conserve = own.conserve.unwrap_or(new.conserve);
        }
        if let Some(own) = text.limit {
            let old = new.limit.unwrap_or_default();
            new.limit = Some(StrainLimit {
                stretch: own.stretch.unwrap_or(old.stretch),
                shear: own.shear.unwrap_or(old.shear),
                bend: own.bend.unwrap_or(old.bend),
                passes: own.passes.unwrap_or(old.passes),
                order: choose(own.order.as_deref(), old.order).map_err(|e| within("limit", e))?,
                correct_velocity: own.correct_velocity.unwrap_or(old.correct_velocity),
                speed: own.speed.or(old.speed),
            });
        }
        if unlimited {
            new.limit = None;
        }
        if let Some(own) = text.contact {
            let contact = &mut new.contact;
            contact.level = choose(own.level.as_deref(), contact.level).map_err(|e| within("contact", e))?;
            let pinch = own.pinch.as_deref().map(str::parse).transpose().map_err(|e| within("contact", e))?;
            contact.pinch = pinch.or(contact.pinch);
            contact.rounds = own.rounds.or(contact.rounds);
        }
        new.validate()?;
        Ok(new)
    }

    /// Settings by the same words, as an object.
    pub fn words(&self) -> serde_json::Value {
        let mut method = self.method.clone();
        let mut own = json!({ "name": method.name() });
        if let Some(stop) = method.stop_mut() {
            own["iterations"] = json!(stop.iterations);
            own["tolerance"] = json!(stop.tolerance);
            own["accuracy"] = json!(stop.accuracy);
            own["budget"] = json!(stop.budget);
        }
        if let Some(imex) = method.imex_mut() {
            own["iterations"] = json!(imex.newton);
            own["tolerance"] = json!(imex.tolerance);
            own["decompose"] = json!(imex.decompose);
            own["guess"] = json!(imex.guess);
            own["preconditioner"] = json!(imex.preconditioner.name());
        }
        if let Method::Newton(settings) | Method::Hybrid(settings) = &method {
            own["linear_solver"] = json!(settings.solver.name());
        }
        if let Method::SemiImplicit(solver) = &method {
            own["linear_solver"] = json!(solver.name());
        }
        let Damping { ether, rigid, drag, material } = self.damping;
        let limit = self.limit.map(|l| {
            json!({ "stretch": l.stretch, "shear": l.shear, "bend": l.bend, "passes": l.passes,
                "order": l.order.name(), "correct_velocity": l.correct_velocity, "speed": l.speed })
        });
        json!({
            "time_step": self.time_step,
            "method": own,
            "scheme": self.scheme.name(),
            "precision": self.precision.name(),
            "damping": { "ether": ether, "rigid": rigid, "drag": drag, "material": material },
            "conserve": self.conserve,
            "limit": limit,
            "contact": { "level": self.contact.level.name(), "pinch": self.contact.pinch.map(|p| p.name()),
                "rounds": self.contact.rounds },
        })
    }
}

impl Obstacle {
    /// Rigid obstacles as a scene's `[[solid]]` tables describe them, for a model whose springs say how far things are kept
    /// from them where a table does not.
    pub fn from_tables(tables: &[Table], model: &Model) -> Result<Vec<Self>, Error> {
        #[derive(Deserialize)]
        struct Solids {
            #[serde(default)]
            solid: Vec<Spanned<ShapeText>>,
        }
        let list = tables.iter().cloned().map(Value::Table).collect();
        let all = Table::from_iter([("solid".to_string(), Value::Array(list))]);
        let (text, places) = written(&all);
        let source = Source { file: "solids", text: &text, folder: None, trusted: false, places: &places };
        let solids: Solids = toml::from_str(&text).map_err(|e| setting(source.syntax(&e)))?;
        let margin = super::USUAL_MARGIN * model.mean_rest_length();
        solids.solid.iter().map(|solid| source.obstacle(solid, margin).map_err(setting)).collect()
    }
}

/// Tables as what they should be; errors are those of settings.
fn read<T: for<'a> Deserialize<'a>>(tables: &Table, name: &str) -> Result<T, Error> {
    let (text, places) = written(tables);
    let source = Source { file: name, text: &text, folder: None, trusted: false, places: &places };
    toml::from_str(&text).map_err(|e| setting(source.syntax(&e)))
}

/// The same error as one of a setting: nobody knows of a file.
fn setting(error: Error) -> Error {
    match error {
        Error::File { path, problem, remedy, .. } => match problem.split_once(" = ") {
            Some((name, value)) => Error::setting(name, value, remedy),
            None => Error::setting(path, problem, remedy),
        },
        other => other,
    }
}

/// The same error as one of a key of a table.
fn within(table: &str, error: Error) -> Error {
    match error {
        Error::Setting { name, value, remedy } => Error::setting(format!("{table}.{name}"), value, remedy),
        other => other,
    }
}

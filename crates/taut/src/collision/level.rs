//! How much is done about bodies that meet.

use crate::{Error, words};

/// How closely contact of bodies with themselves and each other is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Level {
    /// Bodies pass through themselves and each other; obstacles alone keep them out.
    Off,
    /// No new crossing; faces keep their thickness from points and strands theirs, other edges only do not cross. What
    /// cannot escape is let through and counted.
    #[default]
    Fast,
    /// No new crossing; points, edges and faces keep their thickness. What cannot escape is an error.
    Exact,
}

impl Level {
    /// Every level with its word.
    pub const NAMES: [(&'static str, Level); 3] =
        [("off", Level::Off), ("fast", Level::Fast), ("exact", Level::Exact)];
}

words::choice!(Level, "level", "levels are");

/// What is done about cloth pinched between prescribed things that cross, which no motion of it could avoid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Pinch {
    /// It is let through, counted, and certified again once it is apart.
    Pass,
    /// The step is refused.
    Stop,
}

impl Pinch {
    /// Every choice with its word.
    pub const NAMES: [(&'static str, Pinch); 2] = [("pass", Pinch::Pass), ("stop", Pinch::Stop)];
}

words::choice!(Pinch, "pinch", "choices are");

/// How contact is treated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactSettings {
    /// How closely it is followed.
    pub level: Level,
    /// What is done about pinched cloth; if not given `fast` lets it pass and `exact` stops.
    pub pinch: Option<Pinch>,
    /// Rounds of impacts before rigid zones, at most; 4 for `fast`, 10 for `exact` if not given.
    pub rounds: Option<u32>,
}

impl ContactSettings {
    /// A level with its usual choices.
    pub fn new(level: Level) -> Self {
        ContactSettings { level, ..ContactSettings::default() }
    }

    /// Rounds of impacts before rigid zones.
    pub(crate) fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.level == Level::Exact { 10 } else { 4 })
    }

    /// Whether pinched cloth is let through.
    pub(crate) fn passes(&self) -> bool {
        self.pinch.map_or(self.level != Level::Exact, |pinch| pinch == Pinch::Pass)
    }

    /// Refuse numbers outside their range.
    pub fn validate(&self) -> Result<(), Error> {
        match self.rounds {
            Some(rounds) if rounds > 1000 => {
                Err(Error::setting("contact.rounds", rounds, "must be at most 1000"))
            }
            _ => Ok(()),
        }
    }
}

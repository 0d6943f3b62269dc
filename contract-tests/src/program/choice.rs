//! Which cases a run plays.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::case::{Body, Case};
use crate::cases::cases;
use crate::service::{Service, Steering};

/// How much is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Level {
    /// One look at each group
    Smoke,
    /// What every operation does and refuses
    Standard,
    /// Also what refusals, repeats and strangers may touch, races, other dress, random walks
    Full,
}

/// What only the whole run asks, by the beginning of the name: whatever is put to each operation in a sample account of its own.
const WHOLE: [&str; 7] = [
    "mechanisms::idempotency",
    "mechanisms::races",
    "mechanisms::encodings",
    "mechanisms::lists::pages_are_the_list_as_time_goes_on",
    "mechanisms::no_side_effects",
    "mechanisms::account_isolation",
    "model",
];

/// The scene of the first look. What `reading` sends, changes nothing.
const FIRST: &str = "scenes::a_first_look_at_what_a_partner_does";

impl Level {
    fn of(case: &Case) -> Self {
        let name = case.name();
        let is_a_race = matches!(case.body, Body::Scene(scene) if scene.is_a_race());
        if name == FIRST || name.starts_with("reading") {
            Self::Smoke
        } else if is_a_race || WHOLE.iter().any(|start| name.starts_with(start)) {
            Self::Full
        } else {
            Self::Standard
        }
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

/// The cases of a run.
pub fn chosen(level: Level, read_only: bool, only: Option<&str>) -> Vec<Case> {
    let mut cases = cases();
    cases.retain(|case| {
        Level::of(case) <= level
            && (!read_only || case.name().starts_with("reading"))
            && only.is_none_or(|only| is_of(case, only))
    });
    // In no order, so that what was played tells how long the rest takes.
    cases.sort_by_key(|case| {
        let mut hasher = DefaultHasher::new();
        case.name().hash(&mut hasher);
        (Level::of(case) != Level::Smoke, hasher.finish())
    });
    cases
}

/// Whether a case is put to a group of the specification or to an operation, or has this in its name.
fn is_of(case: &Case, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase().replace(['-', '_'], " ");
    let is_it = |call: &str| call.replace('_', " ") == wanted;
    let is_put_to_it = match case.body {
        Body::Of(_, row) => row.group == wanted,
        Body::Scene(scene) => scene.calls().any(is_it),
        Body::StateTable(walk) => walk.calls().any(is_it),
        Body::Alone(_) => false,
    };
    is_put_to_it || case.name().replace('_', " ").contains(&wanted)
}

/// How many cases play at once: those of one account share its limits, so they go one after the other.
pub fn at_once(service: &Service) -> usize {
    match service.steering {
        Steering::Possible => std::thread::available_parallelism().map_or(1, usize::from),
        Steering::Impossible => 1,
    }
}

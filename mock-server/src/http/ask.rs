//! What an operation is asked: the request as it came in, and the account that it is about.

use std::collections::BTreeMap;

use secmon_engine::{Account, Call, Instant};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::body::{self, Sent};
use super::problem::Problem;
use crate::fields::{Fields, readers};
use crate::settings::Manners;

/// A request, read but not judged.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The address that the client called, for example `http://127.0.0.1:4010`.
    pub(crate) origin: String,
    pub(crate) path: String,
    pub(crate) raw_query: Option<String>,
    pub(crate) query: BTreeMap<String, String>,
    /// The variable parts of the path, by name.
    pub(crate) parts: Vec<(String, String)>,
    pub(crate) sent: Sent,
}

impl Asked {
    /// The body's JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, Problem> {
        match &self.sent {
            Sent::TooLarge(_) => Err(Problem::TooLarge),
            Sent::Whole(bytes) => Ok(body::object(bytes)?),
        }
    }

    /// The query's parameters. A body that is too large is refused here for operations that do not
    /// look at theirs.
    pub(crate) fn parameters(&self) -> Result<Fields<'_>, Problem> {
        match &self.sent {
            Sent::TooLarge(_) => Err(Problem::TooLarge),
            Sent::Whole(_) => Ok(Fields::of_query(&self.query)),
        }
    }

    /// An id in the path; none when it is no UUID (A16).
    pub(crate) fn id(&self, name: &str) -> Option<Uuid> {
        let (_, text) = self.parts.iter().find(|(part, _)| part == name)?;
        readers::parse_uuid(text)
    }
}

/// An operation's question to an account.
pub(crate) struct Ask<'a> {
    pub(crate) account: &'a mut Account,
    pub(crate) call: Call,
    pub(crate) asked: &'a Asked,
    pub(crate) manners: Manners,
}

impl Ask<'_> {
    /// The account's time.
    pub(crate) fn now(&self) -> Instant {
        self.call.now
    }
}

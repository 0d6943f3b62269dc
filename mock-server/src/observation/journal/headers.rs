//! Headers as the journal keeps them.

use std::collections::BTreeMap;

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION};

/// Bytes of the headers of a message that are kept.
const KEPT: usize = 16 * 1024;

/// Headers whose values are credentials, whatever they look like.
const CREDENTIALS: [HeaderName; 5] = [
    AUTHORIZATION,
    PROXY_AUTHORIZATION,
    COOKIE,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-auth-token"),
];

/// What stands in the place of a credential.
const MASK: &str = "****";

/// The headers of a message, in a single text: most are never looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers(Box<str>);

impl Headers {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut text = String::new();
        for (name, value) in headers {
            let value = match CREDENTIALS.contains(name) {
                true => MASK.into(),
                false => String::from_utf8_lossy(value.as_bytes()),
            };
            if text.len() + name.as_str().len() + value.len() > KEPT {
                continue;
            }
            // Neither a name nor a value has a line end.
            for part in [name.as_str(), ":", &value, "\n"] {
                text.push_str(part);
            }
        }
        Self(text.into())
    }

    /// Bytes that they hold.
    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }

    /// The first value of a name.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs();
        pairs.find_map(|(known, value)| (known == name).then_some(value))
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.lines().filter_map(|line| line.split_once(':'))
    }

    /// Every value of each name, without the secrets that are taken out.
    pub(crate) fn shown(
        &self,
        without_secrets: impl Fn(&str) -> String,
    ) -> BTreeMap<String, Vec<String>> {
        let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in self.pairs() {
            let values = shown.entry(name.to_owned()).or_default();
            values.push(without_secrets(value));
        }
        shown
    }
}

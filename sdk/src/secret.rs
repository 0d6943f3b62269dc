//! The API key: the only place, with the line that sets the header, that sees it as text.

use std::fmt;

use http::HeaderValue;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use crate::Error;

/// What stands wherever a piece of the key was.
const MASK: &str = "****";
/// A run of this many characters of the key counts as the key.
const TELLING_RUN: usize = 8;
/// A key shorter than this shows no tail: four characters of it would be too much.
const LONG_ENOUGH_FOR_A_TAIL: usize = 12;

/// The partner's API key, a root credential for the whole partner account.
///
/// Its text is wiped from memory when dropped and never appears in `Debug`, in an error or in a log.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Takes the key as the portal showed it; white space around it (the newline of a file) is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when nothing is left, or when a character
    /// cannot travel in a header.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = Zeroizing::new(text.into());
        let key = text.trim();
        if key.is_empty() {
            return Err(Error::configuration(
                "the API key is empty: copy it from the portal's settings",
            ));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::configuration(
                "the API key has a space, a control character or a letter outside ASCII in it: \
                 copy it again from the portal's settings",
            ));
        }
        Ok(Self(SecretString::from(key)))
    }

    /// The last four characters behind stars (`****cdef`), for a person to tell two keys apart; only stars when the
    /// key is short.
    pub fn masked_tail(&self) -> String {
        let key = self.0.expose_secret();
        let tail = match key.len() {
            LONG_ENOUGH_FOR_A_TAIL.. => &key[key.len() - 4..],
            _ => "",
        };
        format!("{MASK}{tail}")
    }

    /// A stable name of this key at this origin, 32 hexadecimal digits that do not lead back to the key.
    ///
    /// Meant for file names and map keys: the same key at two services has two fingerprints.
    pub fn fingerprint_with(&self, origin: &str) -> String {
        let text = Zeroizing::new(format!("{origin}\n{}", self.0.expose_secret()));
        Uuid::new_v5(&Uuid::NAMESPACE_URL, text.as_bytes())
            .simple()
            .to_string()
    }

    /// The `Authorization` header, marked sensitive so that no layer below prints it.
    pub(crate) fn authorization(&self) -> Result<HeaderValue, Error> {
        let text = Zeroizing::new(format!("Bearer {}", self.0.expose_secret()));
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| Error::configuration("the API key cannot travel in a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// The text with every run of eight or more characters of the key masked.
    ///
    /// For logs of what travelled. Ordinary words stay, or a key named after its state would leave holes in the
    /// service's sentences.
    pub fn redact(&self, text: &str) -> String {
        let key = self.0.expose_secret().as_bytes();
        let run = key.len().min(TELLING_RUN);
        let mut clean = String::with_capacity(text.len());
        let mut kept_from = 0;
        let mut at = 0;
        while at + run <= text.len() {
            match longest_run(key, &text.as_bytes()[at..], run) {
                Some(length) if length < key.len() && is_ordinary_word(text, at, length) => {
                    at += length;
                }
                Some(length) => {
                    clean.push_str(&text[kept_from..at]);
                    clean.push_str(MASK);
                    at += length;
                    kept_from = at;
                }
                None => at += 1,
            }
        }
        clean.push_str(&text[kept_from..]);
        clean
    }
}

/// How many bytes at the start of `text` are a piece of `key`, when they are at least `least`.
fn longest_run(key: &[u8], text: &[u8], least: usize) -> Option<usize> {
    (0..=key.len() - least)
        .map(|start| {
            key[start..]
                .iter()
                .zip(text)
                .take_while(|(a, b)| a == b)
                .count()
        })
        .max()
        .filter(|length| *length >= least)
}

/// Whether so many bytes at this place are lower-case letters that stand alone.
fn is_ordinary_word(text: &str, at: usize, length: usize) -> bool {
    let (before, rest) = text.split_at(at);
    let (word, after) = rest.split_at(length);
    let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !before.ends_with(joins)
        && !after.starts_with(joins)
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({MASK})")
    }
}

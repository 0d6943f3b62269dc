//! The API key: the only place, with the line that sets the header, that sees it as text.

use std::error::Error as StdError;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

use http::HeaderValue;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use crate::Error;
use crate::future::BoxFuture;
use crate::origin;
use crate::redact::{MASK, Redactor};

/// A key shorter than this shows no tail: four characters of it would be too much.
const LONG_ENOUGH_FOR_A_TAIL: usize = 12;

/// The partner's API key, a root credential for the whole partner account.
///
/// Its text is wiped from memory when the last clone is dropped and never appears in `Debug`, in an error or in a log.
#[derive(Clone)]
pub struct ApiKey(Arc<SecretString>);

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
        Ok(Self(Arc::new(SecretString::from(key))))
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

    /// A stable name of this key at the service of this base URL, 32 hexadecimal digits that do not lead back to the key.
    ///
    /// Meant for file names, map keys and shared budgets: the same key at two services has two fingerprints. Spellings of
    /// one address (a slash at the end, capitals, the port of the scheme) have the same.
    pub fn fingerprint_with(&self, base_url: &str) -> String {
        let origin = origin::spelled_one_way(base_url);
        let text = Zeroizing::new(format!("{origin}\n{}", self.0.expose_secret()));
        Uuid::new_v5(&Uuid::NAMESPACE_URL, text.as_bytes())
            .simple()
            .to_string()
    }

    /// The text with every run of eight or more characters of the key masked: as it is, escaped for JSON or a URL, or in
    /// base64.
    ///
    /// For logs of what travelled. Upper and lower case count as the same. Ordinary words stay, or a key named after
    /// its state would leave holes in the service's sentences.
    pub fn redact(&self, text: &str) -> String {
        Redactor::of(Some(self)).redact(text).into_owned()
    }

    /// The `Authorization` header, marked sensitive so that no layer below prints it.
    pub(crate) fn authorization(&self) -> Result<HeaderValue, Error> {
        let text = Zeroizing::new(format!("Bearer {}", self.0.expose_secret()));
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| Error::configuration("the API key cannot travel in a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl Redactor {
    /// The redactor of this key; without one nothing is masked.
    pub(crate) fn of(key: Option<&ApiKey>) -> Self {
        Self::new(key.map_or("", |key| key.0.expose_secret()))
    }
}

impl FromStr for ApiKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::new(text)
    }
}

/// Two handles of the same text are the same key.
impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.expose_secret() == other.0.expose_secret()
    }
}

impl Eq for ApiKey {}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({MASK})")
    }
}

/// Gives the key for each attempt, so that it can be replaced while the client lives.
///
/// An [`ApiKey`] gives itself, a [`RotatingKey`] the last one it was handed. Others may read a file or a vault: they are
/// asked before every attempt, so they should remember what they read.
pub trait KeyProvider: Send + Sync {
    /// The key to send now.
    ///
    /// # Errors
    /// When there is none; the call then ends with [`ErrorKind::NoKey`](crate::ErrorKind::NoKey) and this as its source.
    fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn StdError + Send + Sync>>>;
}

impl KeyProvider for ApiKey {
    fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn StdError + Send + Sync>>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

impl<P: KeyProvider + ?Sized> KeyProvider for Arc<P> {
    fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn StdError + Send + Sync>>> {
        (**self).key()
    }
}

/// A key that can be replaced; clones share it.
///
/// ```
/// # fn main() -> Result<(), secmon::Error> {
/// use secmon::{ApiKey, Client, RotatingKey};
///
/// let key = RotatingKey::new(ApiKey::new("the-old-key")?);
/// let client = Client::builder("https://portal.example.com", key.clone()).build()?;
/// // The portal gave out a new key: the next attempt of every clone of the client sends it.
/// key.replace(ApiKey::new("the-new-key")?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RotatingKey(Arc<RwLock<ApiKey>>);

impl RotatingKey {
    /// Starts with this key.
    pub fn new(key: ApiKey) -> Self {
        Self(Arc::new(RwLock::new(key)))
    }

    /// Sends this key from the next attempt on.
    pub fn replace(&self, key: ApiKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = key;
    }
}

impl KeyProvider for RotatingKey {
    fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn StdError + Send + Sync>>> {
        let key = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Box::pin(std::future::ready(Ok(key)))
    }
}

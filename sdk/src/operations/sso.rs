//! Sign-in tokens. The specification names this operation without its shape; all here is assumed (E14).

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::declaration::operations;
use crate::client::Client;
use crate::client::call::CallBuilder;
use crate::model::object_only::from_an_object;
use crate::model::tolerant::optional;
use crate::model::{CustomerId, Timestamp};

operations! {
    {
        /// `POST /api/v1/sso/token` (request and answer assumed): mints a token that signs a customer in to the portal
        /// once, within a short time. Errors: `TENANT_MISMATCH`; `USER_NOT_FOUND` when the customer has no portal account.
        create_sso_token: CreateSsoToken -> SsoToken = POST "/api/v1/sso/token",
        Sso, Once, Assumed, Success, secret;
        required {
            /// The customer who signs in.
            billing_customer_id: CustomerId,
        }
        optional {
            /// The page of the portal to land on, a path from the root.
            redirect_path: String [stays_on_the_portal],
        }
        answer {
            |_, answer, check| {
                let token = answer.expose_secret();
                if token.trim().is_empty() {
                    check.refuse("token", "it is empty");
                } else if token.contains(char::is_control) {
                    check.refuse("token", "a control character stands in it");
                }
                let end = answer.expires_at.as_ref().map(Timestamp::date_time);
                if end.zip(check.answered_at()).is_some_and(|(end, now)| end <= now) {
                    check.refuse("expires_at", "it had passed when the token was made");
                }
            }
        }
    }
}

impl Client {
    /// Mints a token that signs a customer in: [`CreateSsoToken`]. Where to land can be added:
    /// `client.sso_token(customer).redirect_path("/domains").await`.
    pub fn sso_token(&self, customer: CustomerId) -> CallBuilder<CreateSsoToken> {
        self.call(CreateSsoToken::new(customer))
    }
}

impl CallBuilder<CreateSsoToken> {
    /// The page of the portal to land on, a path from the root.
    pub fn redirect_path(mut self, path: impl Into<String>) -> Self {
        self.operation = self.operation.redirect_path(path);
        self
    }
}

fn stays_on_the_portal(path: &str) -> Option<String> {
    let misleads = |letter: char| letter.is_control() || letter == '\\';
    // Browsers drop control characters and read a backslash as a slash, so both could lead to another host (F15).
    let stays = path.starts_with('/') && !path.starts_with("//") && !path.contains(misleads);
    (!stays).then(|| {
        "It must be a path that starts with one `/`, without a backslash or a control character."
            .to_owned()
    })
}

/// A sign-in token, as secret as the key: whoever has it is the customer. `Debug` does not show it, and it is wiped
/// from memory when dropped.
#[derive(Clone, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct SsoToken {
    token: SecretString,
    /// When it can no longer be used.
    #[serde(default, deserialize_with = "optional")]
    pub expires_at: Option<Timestamp>,
}

from_an_object!(SsoToken);

impl SsoToken {
    /// The token as text, for the address that the customer's browser is sent to.
    pub fn expose_secret(&self) -> &str {
        self.token.expose_secret()
    }

    /// The address that signs the customer in: `{portal}/sso?token=<token>`. The portal is an origin, as in
    /// `https://portal.example.com`.
    pub fn sign_in_url(&self, portal: &str) -> SignInUrl {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("token", self.expose_secret());
        let url = format!("{}/sso?{}", portal.trim_end_matches('/'), query.finish());
        SignInUrl(url.into())
    }
}

/// An address that signs a customer in, as secret as its [`SsoToken`]: shown by [`expose_secret`](SignInUrl::expose_secret) alone.
#[derive(Clone)]
pub struct SignInUrl(SecretString);

impl SignInUrl {
    /// The address as text, for the customer's browser.
    pub fn expose_secret(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for SignInUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInUrl(****)")
    }
}

impl fmt::Debug for SsoToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SsoToken(****)")
    }
}

//! Sign-in tokens. The specification names this operation without its shape; all here is assumed (E14).

use std::fmt;

use http::Method;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::{CustomerId, Timestamp};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response};

/// `POST /api/v1/sso/token` (request and answer assumed): mints a token that signs a customer in to the portal once,
/// within a short time. Errors: `TENANT_MISMATCH`; `USER_NOT_FOUND` when the customer has no portal account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateSsoToken {
    /// The customer who signs in.
    pub billing_customer_id: CustomerId,
    /// The page of the portal to land on, a path from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_path: Option<String>,
}

impl CreateSsoToken {
    /// A token for this customer.
    pub fn new(billing_customer_id: CustomerId) -> Self {
        Self {
            billing_customer_id,
            redirect_path: None,
        }
    }
}

setters!(CreateSsoToken { [redirect_path] });

impl Operation for CreateSsoToken {
    type Output = SsoToken;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "create_sso_token",
        group: Group::Sso,
        method: Method::POST,
        path: "/api/v1/sso/token",
        safety: RetrySafety::Once,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        let stays_on_the_portal = |path: &str| {
            path.strip_prefix('/')
                .is_some_and(|rest| !rest.starts_with(['/', '\\']))
        };
        if self
            .redirect_path
            .as_deref()
            .is_some_and(|path| !stays_on_the_portal(path))
        {
            problems.add(
                "redirect_path",
                "It must be a path that starts with one `/`.",
            );
        }
    }
}

/// A sign-in token, as secret as the key: whoever has it is the customer. `Debug` does not show it, and it is wiped
/// from memory when dropped.
#[derive(Clone, Deserialize)]
#[non_exhaustive]
pub struct SsoToken {
    token: SecretString,
    /// When it can no longer be used.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

impl SsoToken {
    /// The token as text, for the address that the customer's browser is sent to.
    pub fn expose(&self) -> &str {
        self.token.expose_secret()
    }

    /// The address that signs the customer in: `{portal}/sso?token=<token>`. The portal is an origin, as in
    /// `https://portal.example.com`. Log it no more than the token itself.
    pub fn sign_in_url(&self, portal: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("token", self.expose());
        format!("{}/sso?{}", portal.trim_end_matches('/'), query.finish())
    }
}

impl fmt::Debug for SsoToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SsoToken")
            .field("token", &"****")
            .field("expires_at", &self.expires_at)
            .finish()
    }
}

impl Client {
    /// Mints a token that signs a customer in: [`CreateSsoToken`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn sso_token(&self, request: CreateSsoToken) -> Result<Response<SsoToken>, Error> {
        self.send(request).await
    }
}

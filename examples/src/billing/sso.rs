//! Signs a customer in to the portal.

use secmon::model::CustomerId;
use secmon::operations::{CreateSsoToken, SignInUrl};
use secmon::{Client, Error};
use std::fmt;

/// An address that signs a customer in, as secret as a password.
///
/// It can be sent to a browser, once, and nothing else: it is not `Display`, not `Clone`, not `Serialize`, and its
/// `Debug` shows nothing.
pub struct SignIn(SignInUrl);

impl SignIn {
    /// The value of the `Location` header that sends the customer's browser there. Log neither it nor the header.
    #[must_use]
    pub fn into_location(self) -> String {
        self.0.expose().to_owned()
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignIn(hidden)")
    }
}

/// Makes an address that signs this customer in, landing on this page of the portal.
///
/// # Errors
/// When the service gives no token; the error holds none either.
pub async fn sign_in(
    client: &Client,
    customer: CustomerId,
    page: Option<&str>,
) -> Result<SignIn, Error> {
    let mut request = CreateSsoToken::new(customer);
    if let Some(page) = page {
        request = request.redirect_path(page);
    }
    let token = client.send(request).await?.into_data();
    Ok(SignIn(token.sign_in_url(client.origin())))
}

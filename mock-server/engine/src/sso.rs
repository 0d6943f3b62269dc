//! Sign-in tokens: minted for a customer, good for one use (E14).

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use uuid::Uuid;

use crate::ids::Kind;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{Account, SsoToken, TokenNo, next_number};
use crate::time::Timestamp;
use crate::values::ClientId;

/// Characters of the half of a token that names its record.
const NAME_LENGTH: usize = 32;

/// A minted token. It has no readable `Debug`: whoever has it can sign in.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct MintedToken {
    /// The token.
    pub token: String,
    /// When it ends, used or not.
    pub expires_at: Timestamp,
}

impl fmt::Debug for MintedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MintedToken(until {})", self.expires_at)
    }
}

/// Who signed in with a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedIn {
    /// The customer.
    pub client: ClientId,
    /// The customer's name, where one is known.
    pub name: Option<String>,
    /// Where the browser goes next.
    pub redirect_path: Option<String>,
}

impl Session<'_> {
    /// `POST /sso/token`: mints a token for a customer.
    ///
    /// # Errors
    ///
    /// [`Refusal::UserNotFound`].
    pub fn mint_sso_token(
        &mut self,
        client: ClientId,
        redirect_path: Option<String>,
    ) -> Result<MintedToken, Refusal> {
        self.require_portal_account(client)?;
        self.drop_expired_tokens();
        let life = self.records.settings.timings.sso_token;
        let expires_at = self.now.plus(Duration::from_secs(life.into()));
        let number = TokenNo(next_number(&mut self.records.controls.edit().sso_tokens));
        self.records.sso_tokens.insert(
            number,
            SsoToken {
                client,
                expires_at,
                redirect_path,
            },
        );
        Ok(MintedToken {
            token: self.token_text(number),
            expires_at: expires_at.into(),
        })
    }

    /// Signs in with a token, which is used up by it. `None` for a token that
    /// is used, expired or not of this account.
    pub fn redeem_sso_token(&mut self, token: &str) -> Option<SignedIn> {
        let number = self.token_number(token)?;
        let token = self.records.sso_tokens.remove(number)?;
        if self.now >= token.expires_at {
            return None;
        }
        let customer = self.customer(token.client)?;
        let name = self.records.customers[customer].name.as_deref();
        Some(SignedIn {
            client: token.client,
            name: name.map(str::to_owned),
            redirect_path: token.redirect_path,
        })
    }

    /// Tokens live equally long, so the expired ones are the first.
    fn drop_expired_tokens(&mut self) {
        while let Some((number, token)) = self.records.sso_tokens.first_key_value()
            && self.now >= token.expires_at
        {
            let number = *number;
            self.records.sso_tokens.remove(number);
        }
    }
}

impl Account {
    /// Whether this account made a token, also one that is used or expired,
    /// since it was reset last.
    pub fn minted_sso_token(&self, token: &str) -> bool {
        let number = self.token_number(token);
        number.is_some_and(|number| number.0 < self.records.controls.sso_tokens)
    }

    /// The record that a token names, used up or not.
    fn token_number(&self, token: &str) -> Option<TokenNo> {
        let id = Uuid::try_parse(token.get(..NAME_LENGTH)?).ok()?;
        let number = TokenNo(self.own_ids.number(Kind::SsoToken, id)?);
        (self.token_text(number) == token).then_some(number)
    }

    fn token_text(&self, number: TokenNo) -> String {
        let name = self.own_ids.uuid(Kind::SsoToken, number.into()).simple();
        let secret = self.own_ids.secret(Kind::SsoTokenText, number.into());
        format!("{name}{secret}")
    }
}

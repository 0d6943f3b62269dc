//! Sign-in tokens (E14).

use http::StatusCode;

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, Raw, readers};

/// `POST /sso/token`.
pub(crate) fn token(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = fields.required("billing_customer_id", customer::number);
    let path = fields.optional("redirect_path", redirect_path);
    let (client, path) = fields.finish(|| Some((client?, path)))?;
    let minted = context
        .account
        .at(context.call)
        .mint_sso_token(client, path)?;
    let token = minted.token.clone();
    Ok(reply::success(StatusCode::OK, minted, context.now()).secret(token))
}

/// A path on the portal. Two slashes at its start would lead a browser to another host.
fn redirect_path(raw: Raw) -> readers::Read<String> {
    let text = readers::string(raw)?;
    let mut characters = text.chars();
    let stays = characters.next() == Some('/') && !matches!(characters.next(), Some('/' | '\\'));
    if stays {
        Ok(text.to_owned())
    } else {
        Err("must be a path that starts with one slash.".to_owned())
    }
}

//! The page that a browser lands on with a sign-in token (E14).

use std::sync::Arc;

use http::StatusCode;
use secmon_engine::SignedIn;

use super::context::PartnerRequest;
use super::reply::Reply;
use crate::account::accounts::Accounts;
use crate::account::shared::SharedAccount;
use crate::store::commit::Commit;

const HTML: &str = "text/html; charset=utf-8";

/// Signs in with the token of the query, which is used up by it.
pub(super) fn sign_in(accounts: &Accounts, request: &PartnerRequest<'_>) -> (Reply, Commit) {
    let token = token(request).to_owned();
    let (reply, commit) = match redeemed(accounts, &token) {
        Some((account, who, commit)) => (welcome(&account, &who), commit),
        None => (refusal(), accounts.store.settled()),
    };
    (reply.secret(token), commit)
}

/// The account that minted the token of a sign-in, used or expired as it may be (M1).
pub(super) fn minted_by(
    accounts: &Accounts,
    request: &PartnerRequest<'_>,
) -> Option<Arc<SharedAccount>> {
    let registry = accounts.registry();
    let mut accounts = registry.accounts().into_iter();
    accounts
        .find(|shared| shared.lock().minted_sso_token(token(request)))
        .cloned()
}

fn token<'a>(request: &'a PartnerRequest<'_>) -> &'a str {
    request.query.get("token").map_or("", String::as_str)
}

/// A token does not say whose it is: the account that made it knows it.
fn redeemed(accounts: &Accounts, token: &str) -> Option<(String, SignedIn, Commit)> {
    accounts
        .registry()
        .accounts()
        .into_iter()
        .find_map(|shared| {
            let mut account = shared.lock();
            let who = account
                .at(shared.time(accounts.now()))
                .redeem_sso_token(token)?;
            let commit = accounts.save(shared.name(), &mut account);
            Some((shared.name().to_owned(), who, commit))
        })
}

fn welcome(account: &str, who: &SignedIn) -> Reply {
    let name = who.name.as_deref().unwrap_or("without a name");
    let path = who.redirect_path.as_deref().unwrap_or("/");
    let text = format!(
        "Signed in as customer {} ({}) of {}. The portal would open {} now.",
        who.client,
        escaped(name),
        escaped(account),
        escaped(path),
    );
    page(StatusCode::OK, "Signed in", &text)
}

fn refusal() -> Reply {
    let text = "The sign-in token is used, expired or unknown. Go back to where you came from and open the portal again: each sign-in takes a new link.";
    page(StatusCode::UNAUTHORIZED, "Not signed in", text)
}

fn page(status: StatusCode, title: &str, text: &str) -> Reply {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><h1>{title}</h1><p>{text}</p></html>\n"
    );
    Reply::new(status, HTML, html)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

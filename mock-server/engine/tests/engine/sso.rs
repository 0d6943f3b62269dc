//! Sign-in tokens.

use secmon_engine::{Client, ProvisionEndpoint, Refusal, SignedIn, Target};

use crate::bench::{Bench, client};

fn with_customer() -> Bench {
    let mut bench = Bench::new();
    let call = bench.call();
    let request = ProvisionEndpoint {
        client: Client {
            id: client(42),
            name: Some("Example Ltd".to_owned()),
            email: None,
        },
        target: Target::parse("203.0.113.10").expect("a target"),
        service: None,
    };
    bench
        .account
        .at(call)
        .provision(request)
        .expect("provisioned");
    bench
}

fn mint(bench: &mut Bench) -> String {
    let call = bench.call();
    let path = Some("/domains".to_owned());
    let minted = bench.account.at(call).mint_sso_token(client(42), path);
    let minted = minted.expect("minted");
    let printed = format!("{minted:?}");
    assert!(!printed.contains(&minted.token));
    assert!(printed.contains(&minted.expires_at.to_string()));
    minted.token
}

#[test]
fn a_token_signs_in_once_e14() {
    let mut bench = with_customer();
    let token = mint(&mut bench);
    let signed_in = bench.account.at(bench.now).redeem_sso_token(&token);
    let expected = SignedIn {
        client: client(42),
        name: Some("Example Ltd".to_owned()),
        redirect_path: Some("/domains".to_owned()),
    };
    assert_eq!(signed_in, Some(expected));
    assert_eq!(bench.account.at(bench.now).redeem_sso_token(&token), None);
}

#[test]
fn a_token_is_refused_at_its_expiry_e14_a19() {
    let mut bench = with_customer();
    let (early, late) = (mint(&mut bench), mint(&mut bench));
    assert_ne!(early, late);
    bench.wait_ms(59_999);
    assert!(
        bench
            .account
            .at(bench.now)
            .redeem_sso_token(&early)
            .is_some()
    );
    bench.wait_ms(1);
    assert_eq!(bench.account.at(bench.now).redeem_sso_token(&late), None);
}

#[test]
fn a_token_of_nobody_is_refused_e14() {
    let mut bench = with_customer();
    let token = mint(&mut bench);
    let mut changed = token.clone();
    let last = changed.pop();
    changed.push(if last == Some('0') { '1' } else { '0' });
    for wrong in [
        changed.as_str(),
        &token[..32],
        "",
        "ä",
        &token.to_uppercase(),
    ] {
        assert_eq!(bench.account.at(bench.now).redeem_sso_token(wrong), None);
    }
    let mut other = Bench::with(|settings| settings.name = "globex".to_owned());
    other.provision(42, "203.0.113.10");
    assert_eq!(other.account.at(other.now).redeem_sso_token(&token), None);
    assert!(
        bench
            .account
            .at(bench.now)
            .redeem_sso_token(&token)
            .is_some()
    );
}

#[test]
fn an_account_knows_the_tokens_that_it_made_whatever_became_of_them() {
    let mut bench = with_customer();
    let mut twin = with_customer();
    let tokens = [mint(&mut bench), mint(&mut bench)];
    let of_twin = [(); 3].map(|()| mint(&mut twin));
    assert_eq!(of_twin[..2], tokens);
    bench.account.at(bench.now).redeem_sso_token(&tokens[0]);
    bench.wait_ms(60_000);
    for made in &tokens {
        assert!(bench.account.minted_sso_token(made));
    }
    for not_made in [&of_twin[2], &tokens[0].to_uppercase(), ""] {
        assert!(!bench.account.minted_sso_token(not_made), "{not_made}");
    }
}

#[test]
fn minting_needs_a_portal_account_e14_c11() {
    let mut bench = Bench::new();
    let call = bench.call();
    let refused = Some(Refusal::UserNotFound);
    let minted = bench.account.at(call).mint_sso_token(client(42), None);
    assert_eq!(minted.err(), refused);
    bench.rule(crate::bench::allow(
        (22, 22),
        secmon_engine::RuleScope::Global,
        Some(42),
    ));
    let minted = bench.account.at(call).mint_sso_token(client(42), None);
    assert_eq!(minted.err(), refused, "a rule makes no portal account");
    let mut bench = with_customer();
    let now = bench.now;
    bench
        .account
        .at(now)
        .remove_portal_account(client(42))
        .expect("removed");
    let minted = bench.account.at(call).mint_sso_token(client(42), None);
    assert_eq!(minted.err(), refused);
}

#[test]
fn tokens_are_not_kept_in_the_state_as_text() {
    let mut bench = with_customer();
    let token = mint(&mut bench);
    assert!(!bench.account.export().to_string().contains(&token[32..]));
    bench.wait(3600);
    mint(&mut bench);
    let export = bench.account.export().to_string();
    assert_eq!(
        export.matches(r#""table":"sso_tokens""#).count(),
        1,
        "the expired one is gone"
    );
}

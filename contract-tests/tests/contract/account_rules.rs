//! Allowed Ports rules of the whole account: shown to every customer, and changed by none of them.

use http::StatusCode;
use secmon::model::{EndpointId, PortRange, Protocol, Rule, RuleId, RuleScope};
use secmon::operations::{CreateRule, DeleteRule, GetRule, ListPortAlerts, ListRules, UpdateRule};
use secmon::{Client, ErrorCode};
use secmon_contract_tests::{Account, assert_api_error, cases};
use serde_json::json;

use crate::rules::open_ports;

// In an account that others use such a rule would be everybody's.
cases! {
    anywhere: ;
    steered:
        a_rule_of_the_whole_account_is_shown_to_every_customer(Accounts),
        no_customer_changes_a_rule_of_the_whole_account(Accounts),
        a_rule_of_the_whole_account_covers_every_server_of_it(Accounts, World),
        a_rule_of_the_whole_account_overlaps_none_but_its_like(Accounts)
}

const WHY: &str = "Monitoring from our own network";

fn ports(text: &str) -> PortRange {
    text.parse().expect("a range")
}

fn wide(text: &str) -> CreateRule {
    CreateRule::account_wide(ports(text), Protocol::Tcp, WHY)
}

async fn own_account() -> Account {
    Account::with(json!({"rate_limit": false})).await
}

async fn created(client: &Client, rule: CreateRule) -> Rule {
    let created = client.send(rule).await.expect("created");
    assert_eq!(created.status(), StatusCode::CREATED);
    created.into_data()
}

pub async fn listed(account: &Account, list: ListRules) -> Vec<RuleId> {
    let rules = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("a list");
    rules.into_iter().map(|rule| rule.id).collect()
}

async fn a_rule_of_the_whole_account_is_shown_to_every_customer() {
    let account = own_account().await;
    let (ann, bob) = (account.customer(), account.customer());
    ann.provisioned("192.0.2.31").await;
    bob.provisioned("192.0.2.32").await;
    let rule = created(&account.client, wide("22")).await;
    assert_eq!(rule.scope_label.as_deref(), Some("Global"));
    assert_eq!((rule.endpoint_id, rule.endpoint), (None, None));
    let anns = created(&account.client, wide("22").billing_customer_id(ann.id)).await;
    for (customer, expected) in [(ann, vec![rule.id, anns.id]), (bob, vec![rule.id])] {
        let list = ListRules::new(customer.id);
        assert_eq!(listed(&account, list.clone()).await, expected);
        assert_eq!(
            listed(&account, list.clone().scope(RuleScope::Global)).await,
            expected
        );
        assert!(
            listed(&account, list.scope(RuleScope::Endpoint))
                .await
                .is_empty()
        );
        let summary = account
            .client
            .rules()
            .summary(customer.id)
            .await
            .expect("a summary");
        assert_eq!(summary.data.global_count, Some(expected.len() as u64));
        assert_eq!(
            summary.data.endpoints[0].rule_count,
            Some(0),
            "global rules are counted apart"
        );
        let read = GetRule::new(customer.id, rule.id);
        assert_eq!(
            account.client.send(read).await.expect("read").data.id,
            rule.id
        );
    }
    assert_eq!(
        listed(&account, ListRules::account_wide()).await,
        [rule.id, anns.id]
    );
    let stranger = own_account().await;
    assert!(
        listed(&stranger, ListRules::account_wide())
            .await
            .is_empty()
    );
    assert_api_error(
        stranger.client.rules().get_account_wide(rule.id).await,
        404,
        ErrorCode::Number(404),
    );
}

async fn no_customer_changes_a_rule_of_the_whole_account() {
    let account = own_account().await;
    let customer = account.customer();
    let rules = account.client.rules();
    let rule = created(&account.client, wide("22")).await.id;
    let change = || UpdateRule::new(rule, ports("2222"), Protocol::Tcp, WHY);
    let refused = rules.update(customer.id, change()).await;
    assert_api_error(refused, 404, ErrorCode::Number(404));
    let delete = DeleteRule::new(customer.id, rule);
    let deleted = account.client.send(delete).await;
    assert_api_error(deleted, 404, ErrorCode::Number(404));
    assert_eq!(
        rules
            .get_account_wide(rule)
            .await
            .expect("as it was")
            .data
            .ports(),
        Some(ports("22"))
    );

    let changed = rules
        .update_account_wide(change())
        .await
        .expect("changed")
        .into_data();
    assert_eq!(changed.ports(), Some(ports("2222")));
    assert_eq!(changed.scope_label.as_deref(), Some("Global"));
    rules.delete_account_wide(rule).await.expect("deleted");
    assert_api_error(
        rules.get_account_wide(rule).await,
        404,
        ErrorCode::Number(404),
    );
}

async fn a_rule_of_the_whole_account_covers_every_server_of_it() {
    let (account, stranger) = (own_account().await, own_account().await);
    let (ann, bob, eve) = (account.customer(), account.customer(), stranger.customer());
    let open = [(22, "tcp"), (23, "tcp")];
    let anns = ann.scanned("192.0.2.33", &open).await;
    let bobs = bob.scanned("192.0.2.34", &open).await;
    eve.scanned("192.0.2.35", &open).await;
    let rule = created(&account.client, wide("22")).await.id;
    assert_eq!(
        open_ports(&account, ListPortAlerts::new(ann.id)).await,
        [23]
    );
    assert_eq!(
        open_ports(&account, ListPortAlerts::new(bob.id)).await,
        [23]
    );
    assert_eq!(
        open_ports(&stranger, ListPortAlerts::new(eve.id)).await,
        [22, 23]
    );
    assert_eq!(allowed(&account, anns).await, ["22:tcp"]);
    assert_eq!(allowed(&account, bobs).await, ["22:tcp"]);

    account
        .client
        .rules()
        .delete_account_wide(rule)
        .await
        .expect("deleted");
    account.scan(bobs, "completed").await;
    assert_eq!(
        open_ports(&account, ListPortAlerts::new(ann.id)).await,
        [23]
    );
    assert_eq!(
        open_ports(&account, ListPortAlerts::new(bob.id)).await,
        [22, 23]
    );
    assert!(allowed(&account, bobs).await.is_empty());
}

async fn allowed(account: &Account, server: EndpointId) -> Vec<String> {
    let detail = account.client.servers().detail_account_wide(server).await;
    detail.expect("detail").into_data().whitelisted_ports
}

async fn a_rule_of_the_whole_account_overlaps_none_but_its_like() {
    let account = own_account().await;
    let customer = account.customer();
    let server = customer.provisioned("192.0.2.36").await;
    created(&account.client, wide("8000-8100")).await;
    created(
        &account.client,
        wide("8050").billing_customer_id(customer.id),
    )
    .await;
    let elsewhere = CreateRule::for_endpoint(server, ports("8050"), Protocol::Tcp, WHY);
    created(&account.client, elsewhere).await;
    let again = account
        .client
        .rules()
        .create_account_wide(wide("8100-8200"))
        .await;
    let error = assert_api_error(again, 422, None);
    let fields = error.field_errors().expect("fields");
    assert_eq!(fields.get("port_start").len(), 1);
}

//! Monitored endpoints: list, create, read, update, delete.

use http::StatusCode;
use secmon::model::{EndpointId, EndpointStatus};
use secmon::operations::{GetEndpoint, ListEndpoints, UpdateEndpoint};
use secmon::{ErrorCode, Response};
use secmon_contract_tests::{Account, Customer, assert_api_error, assert_keys, cases};
use serde_json::{Value, json};

cases! {
    anywhere:
        an_endpoint_is_created_read_changed_and_deleted,
        adding_an_address_again_gives_the_same_endpoint,
        a_hostname_is_resolved_when_it_is_created,
        a_page_shows_where_it_stands_and_the_limits,
        a_list_without_a_customer_is_that_of_the_account,
        a_name_that_does_not_resolve_is_refused,
        a_terminated_endpoint_is_gone_from_reads,
        the_detail_of_an_endpoint_names_it;
    steered:
        the_detail_shows_what_the_scans_found(World),
        the_limit_holds_and_names_limit_and_usage(Accounts),
        the_limit_of_the_account_holds_for_all_customers_together(Accounts)
}

const RESOURCE: [&str; 13] = [
    "id",
    "ip_address",
    "hostname",
    "nickname",
    "platform",
    "status",
    "nmap_cooldown_seconds",
    "last_scan_at",
    "next_scan_at",
    "created_at",
    "updated_at",
    "billing_customer_id",
    "quota_paused",
];

fn not_found() -> ErrorCode {
    ErrorCode::Number(404)
}

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

async fn an_endpoint_is_created_read_changed_and_deleted() {
    let account = Account::new().await;
    let customer = account.customer();
    let endpoints = account.client.servers();
    let made = endpoints
        .create(customer.endpoint("198.51.100.1").nickname("web"))
        .await
        .expect("made");
    assert_eq!(made.status(), StatusCode::CREATED);
    let raw = json_of(&made);
    assert_keys(&raw, &["data", "meta"]);
    assert_keys(&raw["meta"], &["timestamp", "version"]);
    assert_keys(&raw["data"], &RESOURCE);
    let endpoint = made.into_data();
    assert_eq!(endpoint.status, EndpointStatus::Active);
    assert_eq!(endpoint.nickname.as_deref(), Some("web"));
    assert_eq!(endpoint.hostname.as_deref(), Some("198.51.100.1"));
    assert_eq!(endpoint.billing_customer_id, Some(customer.id));
    assert!(endpoint.next_scan_at.is_some() && endpoint.last_scan_at.is_none());

    let read = GetEndpoint::new(customer.id, endpoint.id);
    let read = account.client.send(read).await.expect("read");
    assert_eq!(read.data.id, endpoint.id);

    let change = UpdateEndpoint::new(customer.id, endpoint.id);
    let paused = change.clone().status(EndpointStatus::Paused).nickname("db");
    let paused = endpoints.update(paused).await.expect("changed").into_data();
    assert_eq!(
        (paused.status, paused.nickname.as_deref()),
        (EndpointStatus::Paused, Some("db"))
    );
    assert_eq!(paused.next_scan_at, None);
    let active = endpoints
        .update(change.status(EndpointStatus::Active))
        .await
        .expect("changed");
    assert_eq!(active.data.status, EndpointStatus::Active);
    assert_eq!(active.data.nickname.as_deref(), Some("db"));

    let gone = endpoints
        .delete_account_wide(endpoint.id)
        .await
        .expect("deleted");
    assert_eq!(gone.status(), StatusCode::NO_CONTENT);
    assert!(gone.body().is_empty());
    assert_api_error(
        endpoints.get_account_wide(endpoint.id).await,
        404,
        not_found(),
    );
    assert_api_error(
        endpoints.delete_account_wide(endpoint.id).await,
        404,
        not_found(),
    );
}

async fn adding_an_address_again_gives_the_same_endpoint() {
    let account = Account::new().await;
    let customer = account.customer();
    let endpoints = account.client.servers();
    let create = || endpoints.create(customer.endpoint("198.51.100.2"));
    let made = create().await.expect("made").into_data();
    let found = create().await.expect("found");
    assert_eq!(found.status(), StatusCode::OK);
    assert_eq!(found.data, made);
    assert!(found.note().is_some());
    endpoints
        .delete_account_wide(made.id)
        .await
        .expect("deleted");
    let restored = create().await.expect("restored");
    assert_eq!(
        (restored.status(), restored.data.id),
        (StatusCode::OK, made.id)
    );
    endpoints
        .get_account_wide(made.id)
        .await
        .expect("read again");
}

async fn a_hostname_is_resolved_when_it_is_created() {
    let account = Account::new().await;
    let customer = account.customer();
    let paused = customer
        .endpoint("example.com")
        .status(EndpointStatus::Paused);
    let made = account
        .client
        .servers()
        .create(paused)
        .await
        .expect("made")
        .into_data();
    assert_eq!(made.hostname.as_deref(), Some("example.com"));
    assert!(made.ip_address.ip().is_some(), "{}", made.ip_address);
    assert_eq!(made.status, EndpointStatus::Paused);
}

/// Five servers of the customer, oldest first, of which the second is paused.
async fn five_servers(account: &Account, customer: Customer<'_>) -> Vec<EndpointId> {
    let mut made = Vec::new();
    for last in 1..=5 {
        made.push(customer.provisioned(&format!("198.51.100.{last}")).await);
    }
    let paused = account.client.servers().suspend(made[1]).await;
    paused.expect("suspended");
    made
}

async fn a_page_shows_where_it_stands_and_the_limits() {
    let account = Account::new().await;
    let customer = account.customer();
    five_servers(&account, customer).await;
    let list = ListEndpoints::new(customer.id).per_page(2);
    let mut pages = account.client.pages(list);
    let first = pages.next().await.expect("a page").expect("no error");
    let raw = json_of(&first);
    assert_keys(&raw, &["data", "links", "meta"]);
    assert_keys(&raw["links"], &["first", "last", "prev", "next"]);
    assert_keys(&raw["data"][0], &RESOURCE);
    let meta = &first.data.meta;
    assert_eq!(
        (meta.current_page, meta.per_page, meta.total),
        (1, Some(2), Some(5))
    );
    assert_eq!(meta.current_endpoint_count, Some(5));
    assert!(meta.endpoint_limit.is_some());
    let counts = meta.status_counts.as_ref().expect("counts");
    assert_eq!(
        (
            counts[&EndpointStatus::Active],
            counts[&EndpointStatus::Paused]
        ),
        (4, 1)
    );
    assert_eq!(
        first
            .data
            .links
            .as_ref()
            .and_then(|links| links.prev.clone()),
        None
    );
}

async fn a_list_without_a_customer_is_that_of_the_account() {
    let account = Account::new().await;
    let of_all = || async {
        let page = account
            .client
            .send(ListEndpoints::account_wide().per_page(1))
            .await;
        page.expect("a page").into_data()
    };
    let before = of_all().await;
    for customer in [account.customer(), account.customer()] {
        customer.provisioned("198.51.100.20").await;
        let own = ListEndpoints::new(customer.id);
        let own = account.client.send(own).await.expect("a page").into_data();
        assert_eq!(
            (own.meta.total, own.meta.current_endpoint_count),
            (Some(1), Some(1))
        );
        assert!(
            own.meta.endpoint_limit < before.meta.endpoint_limit,
            "each has less than all"
        );
    }
    let after = of_all().await;
    // Others may add and remove in the meantime, but hardly all of it.
    assert!(after.meta.total >= Some(2) && after.data.len() == 1);
    assert!(after.meta.current_endpoint_count >= Some(2));
    let counts = after.meta.status_counts.as_ref().expect("counts");
    assert_eq!(Some(counts.values().sum()), after.meta.total);
    assert_eq!(after.meta.endpoint_limit, before.meta.endpoint_limit);
}

async fn the_detail_shows_what_the_scans_found() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("198.51.100.4").await;
    let before = account
        .client
        .servers()
        .detail_account_wide(id)
        .await
        .expect("detail");
    assert_eq!(before.data.latest_scan, None);
    assert_keys(
        &json_of(&before),
        &[
            "data",
            "latest_scan",
            "alerts",
            "whitelisted_ports",
            "new_ports",
            "closed_ports",
        ],
    );
    account.open_ports(id, &[(22, "tcp"), (80, "tcp")]).await;
    account.scan(id, "completed").await;
    account.open_ports(id, &[(22, "tcp"), (443, "tcp")]).await;
    account.scan(id, "completed").await;
    let after = account
        .client
        .servers()
        .detail_account_wide(id)
        .await
        .expect("detail");
    let raw = json_of(&after);
    assert_keys(
        &raw["latest_scan"],
        &["open_ports", "status", "scan_duration_ms", "scanned_at"],
    );
    let detail = after.into_data();
    assert_eq!(
        detail.latest_scan.and_then(|scan| scan.open_ports),
        Some(vec![22, 443])
    );
    assert_eq!(
        (detail.new_ports, detail.closed_ports),
        (vec![443], vec![80])
    );
    let mut ports: Vec<u16> = detail.alerts.iter().map(|alert| alert.port).collect();
    ports.sort_unstable();
    assert_eq!(ports, [22, 443]);
    assert!(detail.data.last_scan_at.is_some());
}

async fn the_limit_of_the_account_holds_for_all_customers_together() {
    let account = Account::with(json!({"account_endpoint_limit": 2, "rate_limit": false})).await;
    let (ann, bob) = (account.customer(), account.customer());
    ann.provisioned("198.51.100.22").await;
    bob.provisioned("198.51.100.22").await;
    let page = account
        .client
        .send(ListEndpoints::account_wide())
        .await
        .expect("a page");
    let meta = page.into_data().meta;
    assert_eq!(meta.endpoint_limit, Some(2));
    assert_eq!(meta.current_endpoint_count, Some(2));
    let third = account
        .client
        .servers()
        .create(bob.endpoint("198.51.100.23"))
        .await;
    let error = assert_api_error(third, 403, ErrorCode::EndpointLimitExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(2), Some(2))
    );
}

async fn the_limit_holds_and_names_limit_and_usage() {
    let account = Account::with(json!({"default_endpoint_limit": 1})).await;
    let customer = account.customer();
    customer.provisioned("198.51.100.5").await;
    let refused = account
        .client
        .servers()
        .create(customer.endpoint("198.51.100.6"))
        .await;
    let error = assert_api_error(refused, 403, ErrorCode::EndpointLimitExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(1), Some(1))
    );
}

async fn a_name_that_does_not_resolve_is_refused() {
    let account = Account::new().await;
    let customer = account.customer();
    let refused = account
        .client
        .servers()
        .create(customer.endpoint("nowhere.invalid"))
        .await;
    assert_api_error(refused, 422, ErrorCode::DnsResolutionFailed);
}

async fn a_terminated_endpoint_is_gone_from_reads() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("198.51.100.8").await;
    account
        .client
        .servers()
        .terminate(id)
        .await
        .expect("terminated");
    let endpoints = account.client.servers();
    assert_api_error(endpoints.get_account_wide(id).await, 404, not_found());
    assert_api_error(endpoints.detail_account_wide(id).await, 404, not_found());
    assert!(
        endpoints
            .list(customer.id)
            .collect_all()
            .await
            .expect("none")
            .is_empty()
    );
    let deleted = endpoints.delete_account_wide(id).await.expect("deleted");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
}

async fn the_detail_of_an_endpoint_names_it() {
    let account = Account::new().await;
    let id = account.customer().provisioned("198.51.100.9").await;
    let detail = account
        .client
        .servers()
        .detail_account_wide(id)
        .await
        .expect("detail");
    assert_keys(&json_of(&detail)["data"], &RESOURCE);
    let detail = detail.into_data();
    assert_eq!(detail.data.id, id);
    assert!(detail.new_ports.is_empty() && detail.closed_ports.is_empty());
}

//! Lists that come in pages.

use std::sync::Arc;

use http::StatusCode;
use secmon::operations::{ListEndpoints, ListRules};
use secmon::testing::MockTransport;
use secmon::transport::TransportErrorKind;
use secmon::{Client, ErrorKind};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::*;

/// The n-th server of a list.
fn server(number: u128) -> Value {
    let mut server = endpoint();
    server["id"] = json!(Uuid::from_u128(number));
    server
}

/// A page of two, of a list of six: servers 1 and 2 on page 1, and so on.
fn page(number: u32) -> String {
    let first = u128::from(number) * 2 - 1;
    let next = (number < 3).then(|| {
        format!(
            "https://portal.example.com/api/v1/endpoints?page={}",
            number + 1
        )
    });
    json!({
        "data": [server(first), server(first + 1)],
        "links": {"first": "f", "last": "l", "prev": null, "next": next},
        "meta": {"current_page": number, "per_page": 2, "total": 6}
    })
    .to_string()
}

fn client_with(pages: &[u32]) -> (Client, Arc<MockTransport>) {
    let script = MockTransport::new();
    for number in pages {
        script.answer(StatusCode::OK, page(*number));
    }
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    (client, script)
}

fn numbers(items: &[secmon::model::Endpoint]) -> Vec<u128> {
    items
        .iter()
        .map(|item| item.id.as_uuid().as_u128())
        .collect()
}

fn queries(script: &MockTransport) -> Vec<String> {
    script
        .requests()
        .into_iter()
        .map(|request| request.query)
        .collect()
}

#[tokio::test]
async fn all_pages_are_fetched_once_each_and_in_order() {
    let (client, script) = client_with(&[1, 2, 3]);
    let all = client
        .pages(ListEndpoints::account_wide().per_page(2))
        .collect_all()
        .await
        .expect("all");
    assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
    assert_eq!(
        queries(&script),
        [
            "page=1&per_page=2",
            "page=2&per_page=2",
            "page=3&per_page=2"
        ]
    );
}

#[tokio::test]
async fn a_list_can_be_taken_up_at_any_page() {
    let (client, script) = client_with(&[2, 3]);
    let mut pages = client.pages(ListEndpoints::account_wide().page(2));
    assert_eq!(pages.position(), Some(2));
    pages.next().await.expect("a page").expect("page 2");
    assert_eq!(pages.position(), Some(3));
    pages.next().await.expect("a page").expect("page 3");
    assert_eq!(pages.position(), None);
    assert!(pages.next().await.is_none());
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn items_stop_at_the_number_asked_for_without_fetching_more() {
    let (client, script) = client_with(&[1, 2]);
    let pages = client.pages(ListEndpoints::account_wide()).max_items(3);
    assert_eq!(
        numbers(&pages.collect_all().await.expect("three")),
        [1, 2, 3]
    );
    assert_eq!(script.requests().len(), 2);

    let (client, script) = client_with(&[1, 2]);
    let mut items = client
        .pages(ListEndpoints::account_wide())
        .max_items(3)
        .items();
    let mut seen = Vec::new();
    while let Some(item) = items.next().await {
        seen.push(item.expect("an item"));
    }
    assert_eq!(numbers(&seen), [1, 2, 3]);
    assert_eq!(script.requests().len(), 2);

    let (client, script) = client_with(&[]);
    let none = client
        .pages(ListEndpoints::account_wide())
        .max_items(0)
        .collect_all()
        .await
        .expect("none");
    assert!(none.is_empty() && script.requests().is_empty());
}

#[tokio::test]
async fn a_page_is_fetched_only_when_its_items_are_wanted() {
    let (client, script) = client_with(&[1, 2]);
    let mut items = client.pages(ListEndpoints::account_wide()).items();
    assert!(script.requests().is_empty());
    for fetched in [1, 1, 2] {
        items.next().await.expect("an item").expect("no error");
        assert_eq!(script.requests().len(), fetched);
    }
}

#[tokio::test]
async fn a_page_that_fails_loses_nothing_and_is_asked_for_again() {
    let (client, script) = client_with(&[1]);
    script.fail(TransportErrorKind::Connect);
    script.answer(StatusCode::OK, page(2));
    script.answer(StatusCode::OK, page(3));
    let mut items = client.pages(ListEndpoints::account_wide()).items();
    let mut seen = Vec::new();
    let mut failures = 0;
    while let Some(item) = items.next().await {
        match item {
            Ok(item) => seen.push(item),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Connect);
                failures += 1;
            }
        }
    }
    assert_eq!((numbers(&seen), failures), (vec![1, 2, 3, 4, 5, 6], 1));

    let (client, script) = client_with(&[1]);
    script.fail(TransportErrorKind::Connect);
    script.answer(StatusCode::OK, page(2));
    script.answer(StatusCode::OK, page(3));
    let mut pages = client.pages(ListEndpoints::account_wide());
    let mut kept = Vec::new();
    assert!(pages.collect_into(&mut kept).await.is_err());
    assert_eq!(numbers(&kept), [1, 2]);
    pages.collect_into(&mut kept).await.expect("the rest");
    assert_eq!(numbers(&kept), [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn an_error_that_does_not_pass_is_the_end_of_the_list_but_never_of_a_complete_one() {
    let forbidden = || {
        let (client, script) = client_with(&[1]);
        let refused = script.on_any().forever();
        refused.answer(StatusCode::FORBIDDEN, failure(json!(403), "No.", json!({})));
        (client, script)
    };
    // Who skips errors comes to an end all the same.
    let (client, script) = forbidden();
    let mut items = client.pages(ListEndpoints::account_wide()).items();
    let (mut seen, mut failures) = (Vec::new(), 0);
    while let Some(item) = items.next().await {
        match item {
            Ok(item) => seen.push(item),
            Err(_) => failures += 1,
        }
        assert!(failures < 3, "asked for ever");
    }
    assert_eq!((numbers(&seen), failures), (vec![1, 2], 1));
    assert!(items.next().await.is_none());
    assert_eq!(script.requests().len(), 2);

    let (client, script) = forbidden();
    let mut pages = client.pages(ListEndpoints::account_wide());
    assert!(pages.next().await.expect("a page").is_ok());
    assert!(pages.next().await.expect("an error").is_err());
    assert!(pages.next().await.is_none() && pages.position().is_none());
    assert_eq!(script.requests().len(), 2);

    // Who collects, and collects again, is not told that this was all.
    let (client, script) = forbidden();
    let mut pages = client.pages(ListEndpoints::account_wide());
    let mut kept = Vec::new();
    for _ in 0..2 {
        let error = pages.collect_into(&mut kept).await.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Api, "{error}");
        assert!(!error.is_retryable());
    }
    assert_eq!((numbers(&kept), script.requests().len()), (vec![1, 2], 2));
}

#[tokio::test]
async fn a_service_that_repeats_a_page_is_not_followed_for_ever() {
    let (client, script) = client_with(&[1]);
    let mut again: Value = serde_json::from_str(&page(1)).expect("JSON");
    again["meta"]["current_page"] = json!(2);
    script.answer(StatusCode::OK, again.to_string());
    let mut kept = Vec::new();
    let error = client
        .pages(ListEndpoints::account_wide())
        .collect_into(&mut kept)
        .await;
    let error = error.expect_err("a page twice");
    assert!(error.to_string().contains("came a second time"), "{error}");
    assert_eq!(
        (error.kind(), numbers(&kept)),
        (ErrorKind::Decode, vec![1, 2])
    );
    assert_eq!(script.requests().len(), 2);

    let (client, script) = client_with(&[1]);
    let mut lying: Value = serde_json::from_str(&page(1)).expect("JSON");
    lying["meta"]["current_page"] = json!(2);
    (0..9).for_each(|_| script.answer(StatusCode::OK, lying.to_string()));
    let mut pages = client.pages(ListEndpoints::account_wide());
    let mut kept = Vec::new();
    let error = pages.collect_into(&mut kept).await.expect_err("stuck");
    assert!(error.to_string().contains("came a second time"), "{error}");
    assert_eq!(numbers(&kept), [1, 2]);
    assert_eq!(script.requests().len(), 2);

    let (client, script) = client_with(&[2]);
    let error = client
        .pages(ListEndpoints::account_wide())
        .collect_all()
        .await;
    let error = error.expect_err("another page than asked for");
    assert!(error.to_string().contains("another number"), "{error}");
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn an_empty_list_and_a_page_beyond_the_end_are_no_items() {
    let script = MockTransport::new();
    let client = builder(&script).build().expect("a client");
    let empty = json!({"data": [], "links": {"next": null},
                       "meta": {"current_page": 7, "per_page": 25, "total": 3}});
    script.answer(StatusCode::OK, empty.to_string());
    let rules = client
        .pages(ListRules::account_wide().page(7))
        .collect_all()
        .await;
    assert!(rules.expect("none").is_empty());
}

#[tokio::test]
async fn pages_without_links_end_by_counting_and_alert_pages_by_their_own_word() {
    let script = MockTransport::new();
    let client = builder(&script).build().expect("a client");
    let counted = |number: u32| json!({"data": [server(number.into())], "meta": {"current_page": number, "per_page": 1, "total": 2}});
    script.answer(StatusCode::OK, counted(1).to_string());
    script.answer(StatusCode::OK, counted(2).to_string());
    let all = client
        .pages(ListEndpoints::account_wide())
        .collect_all()
        .await
        .expect("two");
    assert_eq!(numbers(&all), [1, 2]);

    let alert = |number: u128| json!({"id": Uuid::from_u128(number), "port": 22, "protocol": "tcp", "status": "open"});
    let alerts = |number: u32, more: bool| {
        success(
            json!({"alerts": [alert(number.into())], "total": 2, "current_page": number, "last_page": 2, "has_more": more}),
        )
    };
    script.answer(StatusCode::OK, alerts(1, true));
    script.answer(StatusCode::OK, alerts(2, false));
    let all = client.port_alerts().list(customer()).collect_all().await;
    assert_eq!(all.expect("two").len(), 2);
}

#[tokio::test]
async fn a_changed_request_cannot_take_a_list_out_of_its_customers_area() {
    let another = secmon::model::CustomerId::try_from(43_u64).expect("a customer");
    let changes: [fn(ListEndpoints) -> ListEndpoints; 3] = [
        |_| ListEndpoints::account_wide(),
        |mut list| {
            list.billing_customer_id = None;
            list.per_page(50)
        },
        |list| list.billing_customer_id(43_u32.try_into().expect("a customer")),
    ];
    for change in changes {
        let (client, script) = scripted();
        let mut pages = client.servers().list(customer()).with_request(change);
        let error = pages.next().await.expect("an end").expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains("customer"), "{error}");
        assert!(pages.next().await.is_none() && script.requests().is_empty());
    }
    // A list of the whole account may be narrowed to one customer.
    let (client, script) = scripted();
    script.fail(TransportErrorKind::Refused);
    let mut pages = client.servers().list_account_wide();
    pages = pages.with_request(|list| list.billing_customer_id(another));
    assert!(pages.next().await.is_some());
    assert!(
        script.requests()[0]
            .query
            .contains("billing_customer_id=43")
    );
}

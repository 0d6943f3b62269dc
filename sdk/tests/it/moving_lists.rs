//! Lists that move while they are read, and lists that never end.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use secmon::model::PortAlert;
use secmon::operations::ListPortAlerts;
use secmon::testing::MockTransport;
use secmon::transport::{BoxFuture, Transport, TransportError};
use secmon::{Client, ErrorKind, Pages};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::*;

fn alert(number: u128) -> Value {
    json!({"id": Uuid::from_u128(number), "port": 22, "protocol": "tcp", "status": "open"})
}

fn page(number: usize, ids: &[u128], total: Option<usize>, has_more: bool) -> String {
    let alerts: Vec<Value> = ids.iter().map(|id| alert(*id)).collect();
    success(json!({"alerts": alerts, "current_page": number, "total": total, "has_more": has_more}))
}

fn numbers(alerts: &[PortAlert]) -> Vec<u128> {
    alerts
        .iter()
        .map(|alert| alert.id.as_uuid().as_u128())
        .collect()
}

fn list(client: &Client) -> Pages<ListPortAlerts> {
    client.port_alerts().list(customer())
}

fn script_of(pages: &[String]) -> (Client, Arc<MockTransport>) {
    let script = MockTransport::new();
    pages
        .iter()
        .for_each(|page| script.answer(StatusCode::OK, page.clone()));
    let client = builder(&script).no_rate_limit().build();
    (client.expect("a client"), script)
}

#[tokio::test]
async fn more_items_than_the_list_counts_end_it() {
    let pages = [1, 2, 3].map(|number| {
        let ids = [2 * number as u128, 2 * number as u128 + 1];
        page(number, &ids, Some(4), true)
    });
    let (client, script) = script_of(&pages);
    let mut kept = Vec::new();
    let error = list(&client)
        .collect_into(&mut kept)
        .await
        .expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert!(
        error.to_string().contains("as many items as it counts"),
        "{error}"
    );
    assert_eq!((kept.len(), script.requests().len()), (4, 2));
}

#[tokio::test]
async fn pages_that_go_in_a_circle_end_the_list() {
    let [a, b] = [[1, 2], [3, 4]];
    let pages = [(1, a), (2, b), (3, a), (4, b), (5, a)];
    let pages = pages.map(|(number, ids)| page(number, &ids, None, true));
    let (client, script) = script_of(&pages);
    let mut kept = Vec::new();
    let error = list(&client)
        .collect_into(&mut kept)
        .await
        .expect_err("a circle");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert_eq!(
        (numbers(&kept), script.requests().len()),
        (vec![1, 2, 3, 4], 4)
    );
}

#[tokio::test]
async fn a_list_has_a_longest_length_that_can_be_set() {
    let pages = [1, 2, 3].map(|number| page(number, &[number as u128], None, true));
    let (client, script) = script_of(&pages);
    let mut kept = Vec::new();
    let mut endless = list(&client).max_pages(3);
    let error = endless.collect_into(&mut kept).await.expect_err("endless");
    assert!(error.to_string().contains("more than 3 pages"), "{error}");
    assert_eq!((error.kind(), kept.len()), (ErrorKind::Decode, 3));
    assert_eq!(script.requests().len(), 3);
}

#[tokio::test]
async fn a_list_that_is_long_enough_is_not_too_long() {
    for wanted in [1, 2] {
        let (client, script) = script_of(&[page(1, &[2, 1], Some(9), true)]);
        let alerts = list(&client).max_items(wanted).max_pages(1);
        let alerts = alerts.collect_all().await.expect("enough");
        assert_eq!((alerts.len(), script.requests().len()), (wanted, 1));
    }
    let (client, _) = script_of(&[page(1, &[2, 1], Some(9), true)]);
    let alerts = list(&client).max_items(3).max_pages(1);
    let error = alerts.collect_all().await.expect_err("one is missing");
    assert!(error.to_string().contains("more than 1 pages"), "{error}");
}

#[tokio::test]
async fn what_is_shown_comes_once_and_says_whether_it_moved() {
    // Alert 3 is raised between the pages.
    let pages = [
        page(1, &[2, 1], Some(3), true),
        page(2, &[1, 0], Some(4), false),
    ];
    let (client, _) = script_of(&pages);
    let mut shown = list(&client);
    assert!(!shown.has_moved());
    let mut kept = Vec::new();
    shown.collect_into(&mut kept).await.expect("a list");
    assert_eq!(numbers(&kept), [2, 1, 0]);
    assert!(shown.has_moved());

    let (client, _) = script_of(&pages);
    let mut items = list(&client).items();
    let mut seen = Vec::new();
    while let Some(item) = items.next().await {
        seen.push(item.expect("an item"));
    }
    assert!(items.has_moved());
    assert_eq!(numbers(&seen), [2, 1, 0]);

    let pages = [
        page(1, &[2, 1], Some(3), true),
        page(2, &[0], Some(3), false),
    ];
    let (client, _) = script_of(&pages);
    let mut still = list(&client);
    still.collect_into(&mut Vec::new()).await.expect("a list");
    assert!(!still.has_moved());
}

#[tokio::test]
async fn a_list_of_one_page_is_stable_by_one_pass_and_others_by_two() {
    let (client, script) = script_of(&[page(1, &[1, 2], Some(2), false)]);
    let one = list(&client).collect_stable().await.expect("a list");
    assert_eq!((numbers(&one), script.requests().len()), (vec![1, 2], 1));

    let pages = [
        page(1, &[1, 2], Some(3), true),
        page(2, &[3], Some(3), false),
    ];
    let (client, script) = script_of(&[pages.clone(), pages].concat());
    let two = list(&client).collect_stable().await.expect("a list");
    assert_eq!((numbers(&two), script.requests().len()), (vec![1, 2, 3], 4));
}

#[tokio::test]
async fn a_list_that_never_rests_is_an_error_that_keeps_what_was_read() {
    let pass = |last| {
        [
            page(1, &[1, 2], Some(3), true),
            page(2, &[last], Some(3), false),
        ]
    };
    let passes: Vec<String> = (10..15).flat_map(pass).collect();
    let (client, script) = script_of(&passes);
    let mut kept = Vec::new();
    let error = list(&client)
        .collect_stable_into(&mut kept)
        .await
        .expect_err("it moves");
    assert_eq!(error.kind(), ErrorKind::ListMoved, "{error}");
    assert!(error.is_retryable());
    assert_eq!(
        (numbers(&kept), script.requests().len()),
        (vec![1, 2, 14], 10)
    );
}

/// What happens between two reads of a page.
#[derive(Debug, Clone)]
enum Change {
    Add(prop::sample::Index),
    Remove(prop::sample::Index),
    Move(prop::sample::Index, prop::sample::Index),
}

/// A service whose list changes with every read, as long as there are changes.
struct Moving {
    world: Mutex<World>,
    per_page: usize,
}

struct World {
    list: Vec<u128>,
    next_id: u128,
    schedule: Vec<Vec<Change>>,
    /// What was there all the time.
    stayed: BTreeSet<u128>,
}

impl World {
    fn change(&mut self) {
        for change in self.schedule.pop().unwrap_or_default() {
            let length = self.list.len();
            match change {
                Change::Add(place) => {
                    self.list.insert(place.index(length + 1), self.next_id);
                    self.next_id += 1;
                }
                Change::Remove(place) if length > 0 => {
                    let gone = self.list.remove(place.index(length));
                    self.stayed.remove(&gone);
                }
                Change::Move(from, to) if length > 0 => {
                    let moved = self.list.remove(from.index(length));
                    self.list.insert(to.index(length), moved);
                }
                Change::Remove(_) | Change::Move(..) => {}
            }
        }
    }
}

impl Transport for Moving {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<Bytes>, TransportError>> {
        let query = request.uri().query().unwrap_or_default();
        let asked = query.split('&').find_map(|pair| pair.strip_prefix("page="));
        let number: usize = asked
            .and_then(|number| number.parse().ok())
            .expect("a page");
        let mut world = self.world.lock().expect("a world");
        let start = ((number - 1) * self.per_page).min(world.list.len());
        let end = (start + self.per_page).min(world.list.len());
        let has_more = end < world.list.len();
        let body = page(
            number,
            &world.list[start..end],
            Some(world.list.len()),
            has_more,
        );
        world.change();
        Box::pin(std::future::ready(Ok(Response::new(body.into()))))
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = any::<prop::sample::Index>();
    let change = prop_oneof![
        place.clone().prop_map(Change::Add),
        place.clone().prop_map(Change::Remove),
        (place.clone(), place).prop_map(|(from, to)| Change::Move(from, to)),
    ];
    prop::collection::vec(change, 0..3)
}

#[test]
fn what_was_there_all_the_time_is_in_a_stable_list_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(1000)
    };
    let seed = TestRng::deterministic_rng(config.rng_algorithm);
    let schedules = (
        1..30_usize,
        2..6_usize,
        prop::collection::vec(changes(), 0..14),
    );
    let (complete, moved) = (Cell::new(0), Cell::new(0));
    let walked =
        TestRunner::new_with_rng(config, seed).run(&schedules, |(length, per_page, schedule)| {
            let list: Vec<u128> = (1..=length as u128).collect();
            let world = World {
                stayed: list.iter().copied().collect(),
                list,
                next_id: 1000,
                schedule,
            };
            let service = Arc::new(Moving {
                world: Mutex::new(world),
                per_page,
            });
            let client = Client::builder("https://portal.example.com", key())
                .transport(service.clone())
                .no_rate_limit()
                .build();
            let pages = self::list(&client.expect("a client"));
            match runtime.block_on(pages.collect_stable()) {
                Err(error) => {
                    prop_assert_eq!(error.kind(), ErrorKind::ListMoved, "{}", error);
                    moved.set(moved.get() + 1);
                }
                Ok(read) => {
                    complete.set(complete.get() + 1);
                    let read = numbers(&read);
                    let distinct: BTreeSet<u128> = read.iter().copied().collect();
                    prop_assert_eq!(distinct.len(), read.len(), "a record twice");
                    let world = service.world.lock().expect("a world");
                    let missing: Vec<_> = world.stayed.difference(&distinct).collect();
                    prop_assert!(missing.is_empty(), "missing {:?}", missing);
                }
            }
            Ok(())
        });
    walked.expect("every schedule");
    let (complete, moved) = (complete.get(), moved.get());
    assert!(
        complete > 600,
        "only {complete} lists came to rest, {moved} did not"
    );
}

#[tokio::test]
async fn a_list_that_goes_in_a_circle_is_wrong_and_has_not_moved() {
    let [a, b] = [[1, 2], [3, 4]];
    let pass = [(1, a), (2, b), (3, a), (4, b)].map(|(number, ids)| page(number, &ids, None, true));
    let (client, script) = script_of(&[pass.clone(), pass].concat());
    let error = list(&client).collect_stable().await.expect_err("a circle");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert_eq!(script.requests().len(), 8);
}

#[tokio::test]
async fn the_longest_length_is_reached_once() {
    let pages = [
        page(1, &[1, 2], Some(9), true),
        page(2, &[2, 3], Some(9), true),
    ];
    let (client, script) = script_of(&pages);
    let endless = list(&client).max_pages(2);
    let error = endless.collect_stable().await.expect_err("too long");
    assert!(error.to_string().contains("more than 2 pages"), "{error}");
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn a_request_changed_to_another_customer_is_refused_for_good() {
    let (client, script) = script_of(&[]);
    let other = secmon::model::CustomerId::try_from(43).expect("a customer");
    let changed = list(&client).with_request(|mut alerts| {
        alerts.billing_customer_id = other;
        alerts
    });
    let mut unread = changed.with_request(|alerts| alerts);
    let mut kept = Vec::new();
    for _ in 0..2 {
        let stable = unread.collect_stable_into(&mut kept).await;
        assert_eq!(
            stable.expect_err("refused").kind(),
            ErrorKind::Configuration
        );
    }
    for _ in 0..2 {
        let all = unread.collect_into(&mut kept).await;
        assert_eq!(all.expect_err("refused").kind(), ErrorKind::Configuration);
    }
    assert!(kept.is_empty() && script.requests().is_empty());
}

/// Pages over an order that is not unique: a record stands on two of them, and another on none.
#[tokio::test]
async fn a_list_that_counts_more_than_it_shows_is_not_whole() {
    let pages = [
        page(1, &[1, 2], Some(4), true),
        page(2, &[2, 3], Some(4), false),
    ];
    let (client, _) = script_of(&[pages.clone(), pages].concat());
    let error = list(&client).collect_stable().await.expect_err("not whole");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let (client, _) = script_of(&[page(1, &[1, 1], Some(2), false)]);
    let error = list(&client).collect_stable().await.expect_err("not whole");
    assert_eq!(error.kind(), ErrorKind::Decode);
    // So many were wanted, and not the whole list.
    let (client, _) = script_of(&[page(1, &[1, 2], Some(4), true)]);
    let some = list(&client).max_items(2).collect_stable().await;
    assert_eq!(numbers(&some.expect("a part")), [1, 2]);
}

//! Lists that contradict themselves end with an error and keep what was read (F8), and a list whose source is down is
//! never a short one (F3): for each of the six lists, read in each of the four ways.

use secmon::operations::*;
use secmon::testing::{self, MockTransport};
use secmon::{Client, Error, ErrorKind, Page, PagedOperation};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::specified::answers;
use crate::support::*;

/// What a page says of itself. Every list puts it in its own words.
#[derive(Debug, Clone, Default)]
struct Says {
    number: u32,
    /// The first and the last of its items, numbered through the whole list; none on an empty page.
    items: Option<(u128, u128)>,
    total: Option<u64>,
    /// Items on a full page.
    size: Option<u32>,
    /// `has_more`, or a link to the next page.
    more: Option<bool>,
    last_page: Option<u32>,
}

/// Page `number` of a list, with the items from the first to the last.
fn page(number: u32, first: u128, last: u128) -> Says {
    let items = Some((first, last));
    Says {
        number,
        items,
        ..Says::default()
    }
}

fn empty(number: u32) -> Says {
    Says {
        number,
        ..Says::default()
    }
}

impl Says {
    fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    fn size(mut self, size: u32) -> Self {
        self.size = Some(size);
        self
    }

    fn more(mut self, more: bool) -> Self {
        self.more = Some(more);
        self
    }

    fn last_page(mut self, last_page: u32) -> Self {
        self.last_page = Some(last_page);
        self
    }

    /// The items as records of a list, told apart by their ids.
    fn records(&self, record: &Value) -> Vec<Value> {
        let (first, last) = self.items.unwrap_or((1, 0));
        let numbered = (first..=last).map(|number| {
            let mut record = record.clone();
            record["id"] = json!(Uuid::from_u128(number));
            record
        });
        numbered.collect()
    }
}

/// Leaves out the members that the page does not tell.
fn told(mut page: Value) -> Value {
    if let Value::Object(members) = &mut page {
        members.retain(|_, value| !value.is_null());
    }
    page
}

/// How a list writes a page down, from a good record of it.
type Written = fn(&Says, &Value) -> Value;

fn linked(says: &Says, record: &Value) -> Value {
    let next = says
        .more
        .map(|more| more.then_some("https://portal.example.com/api/v1/list?page=9"));
    let meta = told(
        json!({"current_page": says.number, "total": says.total, "per_page": says.size,
                           "last_page": says.last_page}),
    );
    let mut page = json!({"data": says.records(record), "meta": meta});
    if let Some(next) = next {
        page["links"] = json!({"first": "f", "last": "l", "prev": null, "next": next});
    }
    page
}

fn counted(name: &str, says: &Says, record: &Value) -> Value {
    let mut data = told(
        json!({"total": says.total, "current_page": says.number, "has_more": says.more,
                               "last_page": says.last_page}),
    );
    data[name] = says.records(record).into();
    json!({"success": true, "data": data})
}

fn leaked(says: &Says, record: &Value) -> Value {
    let mut data = told(
        json!({"enabled": true, "total": says.total, "page": says.number, "page_size": says.size}),
    );
    data["items"] = says.records(record).into();
    json!({"success": true, "data": data})
}

/// What came of reading a list to its end, and once more after an error.
#[derive(Debug)]
struct Walked {
    items: usize,
    error: Option<Error>,
    requests: usize,
}

/// Reads a list in four ways, each from the start; all must come to the same.
async fn walked<O: PagedOperation>(list: &O, pages: &[Value]) -> Walked {
    let way = || {
        let script = MockTransport::new();
        pages
            .iter()
            .for_each(|page| script.answer(status_of(page), page.to_string()));
        let client = super::once(&script);
        (client, script)
    };
    let (client, script) = way();
    let walked = by_pages(&client, list, &script).await;

    let (client, script) = way();
    let by_items = by_items(&client, list, &script).await;
    let (client, script) = way();
    let mut kept = Vec::new();
    let error = client
        .pages(list.clone())
        .collect_into(&mut kept)
        .await
        .err();
    let into = Walked {
        items: kept.len(),
        error,
        requests: script.requests().len(),
    };
    let (client, _script) = way();
    let all = client.pages(list.clone()).collect_all().await;

    for other in [&by_items, &into] {
        assert_eq!(
            (walked.items, walked.requests),
            (other.items, other.requests),
            "{walked:?} {other:?}"
        );
        assert_eq!(text_of(&walked.error), text_of(&other.error));
    }
    match all {
        Ok(all) => assert!(
            walked.error.is_none() && all.len() == walked.items,
            "{walked:?}"
        ),
        Err(error) => assert_eq!(text_of(&walked.error), Some(error.to_string())),
    }
    walked
}

fn text_of(error: &Option<Error>) -> Option<String> {
    error.as_ref().map(ToString::to_string)
}

/// A page of leaks that tells of an outage has the status of one.
fn status_of(page: &Value) -> http::StatusCode {
    match page["down"] == true {
        true => http::StatusCode::SERVICE_UNAVAILABLE,
        false => http::StatusCode::OK,
    }
}

async fn by_pages<O: PagedOperation>(client: &Client, list: &O, script: &MockTransport) -> Walked {
    let mut pages = client.pages(list.clone());
    let (mut items, mut error) = (0, None);
    while let Some(page) = pages.next().await {
        match page {
            Ok(page) => items += page.data.items().len(),
            Err(trouble) => {
                error = Some(trouble);
                break;
            }
        }
    }
    Walked {
        items,
        error,
        requests: script.requests().len(),
    }
}

async fn by_items<O: PagedOperation>(client: &Client, list: &O, script: &MockTransport) -> Walked {
    let mut stream = client.pages(list.clone()).items();
    let (mut items, mut error) = (0, None);
    while let Some(item) = stream.next().await {
        match item {
            Ok(_) => items += 1,
            Err(trouble) => {
                error = Some(trouble);
                break;
            }
        }
    }
    Walked {
        items,
        error,
        requests: script.requests().len(),
    }
}

/// Which words a list has for what follows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Words {
    Links,
    HasMore,
    TotalAlone,
}

/// A record of a good answer.
fn record(operation: &str, pointer: &str) -> Value {
    let rows = answers::all();
    let mut named = rows.iter().filter(|row| row.operation.name == operation);
    let body = named.next().and_then(|row| row.body.as_ref());
    let answer = body.expect("a good answer").value();
    answer.pointer(pointer).expect("a record").clone()
}

/// Reads each of the six lists, its pages written in its own words.
async fn each_list(pages: &[Says], check: impl Fn(&str, Words, Walked)) {
    let (customer, domain) = (customer(), ID.parse().expect("an id"));
    let alerts: Written = |says, record| counted("alerts", says, record);
    let mentions: Written = |says, record| counted("mentions", says, record);
    let written = |write: Written, operation: &str, pointer: &str| -> Vec<Value> {
        let record = record(operation, pointer);
        pages.iter().map(|says| write(says, &record)).collect()
    };
    let pages = written(linked, "list_endpoints", "/data/0");
    let ended = walked(&ListEndpoints::account_wide(), &pages).await;
    check("servers", Words::Links, ended);
    let pages = written(linked, "list_rules", "/data/0");
    let ended = walked(&ListRules::account_wide(), &pages).await;
    check("rules", Words::Links, ended);
    let pages = written(alerts, "list_port_alerts", "/data/alerts/0");
    let ended = walked(&ListPortAlerts::new(customer), &pages).await;
    check("port alerts", Words::HasMore, ended);
    let pages = written(alerts, "list_domain_alerts", "/data/alerts/0");
    let ended = walked(&ListDomainAlerts::new(customer, domain), &pages).await;
    check("domain alerts", Words::HasMore, ended);
    let pages = written(mentions, "list_mentions", "/data/mentions/0");
    let ended = walked(&ListMentions::new(customer, domain), &pages).await;
    check("mentions", Words::HasMore, ended);
    let pages = written(leaked, "list_credential_leaks", "/data/items/0");
    let ended = walked(&ListCredentialLeaks::new(customer, domain), &pages).await;
    check("leaks", Words::TotalAlone, ended);
}

/// The list ends well, with so many items after so many requests.
fn whole(items: usize, requests: usize) -> impl Fn(&str, Words, Walked) {
    move |list, _, walked| {
        assert!(walked.error.is_none(), "{list}: {walked:?}");
        assert_eq!((walked.items, walked.requests), (items, requests), "{list}");
    }
}

/// The list ends with an error of the decode kind, and keeps so many items.
fn contradicts(items: usize, requests: usize) -> impl Fn(&str, Words, Walked) {
    move |list, _, walked| {
        let kind = walked.error.as_ref().map(Error::kind);
        assert_eq!(kind, Some(ErrorKind::Decode), "{list}: {walked:?}");
        assert_eq!(
            (walked.items, walked.requests),
            (items, requests),
            "{list}: {walked:?}"
        );
    }
}

#[tokio::test]
async fn a_list_that_agrees_with_itself_is_read_to_its_end() {
    let first = page(1, 1, 2).total(5).size(2).more(true).last_page(3);
    let second = page(2, 3, 4).total(5).size(2).more(true).last_page(3);
    let third = page(3, 5, 5).total(5).size(2).more(false).last_page(3);
    each_list(&[first, second, third], whole(5, 3)).await;
    each_list(
        &[empty(1).total(0).size(25).more(false).last_page(1)],
        whole(0, 1),
    )
    .await;
}

#[tokio::test]
async fn records_may_come_and_go_meanwhile_as_long_as_the_total_follows() {
    let first = || page(1, 1, 2).total(5).size(2).more(true).last_page(3);
    let fewer = page(2, 3, 4).total(4).size(2).more(false).last_page(2);
    each_list(&[first(), fewer], whole(4, 2)).await;
    let one_went_unseen = page(2, 4, 4).total(3).size(2).more(false).last_page(2);
    each_list(&[first(), one_went_unseen], whole(3, 2)).await;
    let more = page(3, 5, 6).total(6).size(2).more(false).last_page(3);
    let second = page(2, 3, 4).total(6).size(2).more(true).last_page(3);
    each_list(&[first(), second, more], whole(6, 3)).await;
}

#[tokio::test]
async fn a_list_that_ends_before_its_total_is_not_whole() {
    each_list(
        &[page(1, 1, 2).total(5).size(25).more(false).last_page(1)],
        contradicts(2, 1),
    )
    .await;
    let first = || page(1, 1, 2).total(5).size(2).more(true).last_page(2);
    let second = page(2, 3, 3).total(4).size(2).more(false).last_page(2);
    each_list(&[first(), second], contradicts(3, 2)).await;
    each_list(
        &[empty(1).total(7).size(25).more(false).last_page(1)],
        contradicts(0, 1),
    )
    .await;
}

#[tokio::test]
async fn a_page_that_contradicts_itself_about_the_next_one_ends_the_list() {
    let says_both = [
        page(1, 1, 2).total(2).size(2).more(true).last_page(1),
        page(1, 1, 2).total(4).size(2).more(false).last_page(2),
    ];
    for says in says_both {
        each_list(&[says], |list, words, walked| match words {
            // The leaks have one word for it, which is no contradiction: 2 of 2, or another page to ask for.
            Words::TotalAlone => {}
            Words::Links | Words::HasMore => contradicts(2, 1)(list, words, walked),
        })
        .await;
    }
}

#[tokio::test]
async fn another_page_than_was_asked_for_is_none() {
    each_list(
        &[page(2, 3, 4).total(4).size(2).more(false).last_page(2)],
        contradicts(0, 1),
    )
    .await;
    let first = page(1, 1, 2).total(6).size(2).more(true).last_page(3);
    let third = page(3, 5, 6).total(6).size(2).more(false).last_page(3);
    each_list(&[first.clone(), third], contradicts(2, 2)).await;
    each_list(
        &[first, empty(1).total(6).size(2).more(true).last_page(3)],
        contradicts(2, 2),
    )
    .await;
    each_list(
        &[empty(0).total(0).size(25).more(false).last_page(1)],
        contradicts(0, 1),
    )
    .await;
}

#[tokio::test]
async fn a_page_that_comes_again_under_another_number_ends_the_list() {
    let first = page(1, 1, 2).total(6).size(2).more(true).last_page(3);
    let again = page(2, 1, 2).total(6).size(2).more(true).last_page(3);
    each_list(&[first, again], contradicts(2, 2)).await;
}

#[tokio::test]
async fn an_empty_page_that_claims_more_ends_the_list() {
    each_list(
        &[empty(1).total(6).size(2).more(true).last_page(3)],
        contradicts(0, 1),
    )
    .await;
    let first = page(1, 1, 2).total(6).size(2).more(true).last_page(3);
    each_list(
        &[first, empty(2).total(6).size(2).more(true).last_page(3)],
        contradicts(2, 2),
    )
    .await;
    // Without a total it is the one word against the page, for the lists that have another word than the total.
    each_list(&[empty(1).more(true)], |list, words, walked| match words {
        Words::TotalAlone => whole(0, 1)(list, words, walked),
        Words::Links | Words::HasMore => contradicts(0, 1)(list, words, walked),
    })
    .await;
}

#[tokio::test]
async fn a_list_that_says_nothing_of_its_end_is_asked_until_a_page_is_empty() {
    each_list(&[page(1, 1, 2), page(2, 3, 3), empty(3)], whole(3, 3)).await;
    each_list(
        &[
            page(1, 1, 2).size(2),
            page(2, 3, 3).size(2),
            empty(3).size(2),
        ],
        whole(3, 3),
    )
    .await;
    each_list(
        &[page(1, 1, 2).total(3), page(2, 3, 3).total(3)],
        whole(3, 2),
    )
    .await;
}

#[tokio::test]
async fn a_link_that_is_not_there_is_no_word_about_the_next_page() {
    let server = record("list_endpoints", "/data/0");
    let servers = |number: u32, first: u128, links: Value| {
        let items = if first > 0 {
            page(number, first, first + 1)
        } else {
            empty(number)
        };
        json!({"data": items.records(&server), "links": links, "meta": {"current_page": number}})
    };
    for links in [
        json!({}),
        json!([]),
        json!(null),
        json!({"first": "f", "last": "l"}),
    ] {
        let pages = [
            servers(1, 1, links.clone()),
            servers(2, 3, links.clone()),
            servers(3, 0, links.clone()),
        ];
        let walked = walked(&ListEndpoints::account_wide(), &pages).await;
        assert!(
            walked.error.is_none() && walked.items == 4,
            "{links}: {walked:?}"
        );
    }
}

/// A page of leaks from a source that is down, its `data` as it is but for the members given.
fn down(members: Value) -> Value {
    let mut data = json!({"enabled": true, "items": [], "total": 0, "page": 1, "page_size": 50});
    for (name, value) in members.as_object().expect("members") {
        data[name] = value.clone();
    }
    json!({"success": true, "data": data, "down": true})
}

#[tokio::test]
async fn leaks_whose_source_is_down_are_never_a_short_list() {
    let list = ListCredentialLeaks::new(customer(), ID.parse().expect("an id"));
    // The specification has no name for the member with the message.
    let said =
        ["error", "message", "error_message", "detail"].map(|name| json!({name: "It is down."}));
    let unsaid = [
        json!({}),
        json!({"error": null}),
        json!({"error": ""}),
        json!({"enabled": false}),
    ];
    for members in said.into_iter().chain(unsaid) {
        let ended = walked(&list, &[down(members.clone())]).await;
        let kind = ended.error.as_ref().map(Error::kind);
        assert_eq!(
            (kind, ended.items),
            (Some(ErrorKind::LeakSourceUnavailable), 0),
            "{members}: {ended:?}"
        );

        let (client, script) = scripted_once();
        script.answer(
            http::StatusCode::SERVICE_UNAVAILABLE,
            down(members.clone()).to_string(),
        );
        let one = client.send(list.clone()).await.expect("a result");
        assert!(one.data.unavailable().is_some(), "{members}");
    }
}

#[tokio::test]
async fn leaks_whose_source_goes_down_keep_the_pages_before() {
    let list = ListCredentialLeaks::new(customer(), ID.parse().expect("an id"));
    let record = |number: u32| json!({"email": format!("{number}@example.com")});
    let first = json!({"success": true, "data": {"enabled": true, "items": [record(1), record(2)], "total": 4,
                       "page": 1, "page_size": 2}});
    let gone = down(json!({"page": 2, "page_size": 2, "error": "It is down."}));
    let ended = walked(&list, &[first.clone(), gone.clone()]).await;
    let kind = ended.error.as_ref().map(Error::kind);
    assert_eq!(
        (kind, ended.items),
        (Some(ErrorKind::LeakSourceUnavailable), 2)
    );

    // The same page is asked for again, and the list goes on where it stopped.
    let script = MockTransport::new();
    let last = json!({"success": true, "data": {"enabled": true, "items": [record(3), record(4)], "total": 4,
                      "page": 2, "page_size": 2}});
    for page in [first, gone, last] {
        script.answer(status_of(&page), page.to_string());
    }
    let mut pages = super::once(&script).pages(list);
    let mut kept = Vec::new();
    let error = pages.collect_into(&mut kept).await.expect_err("down");
    assert!(error.is_retryable(), "{error}");
    pages.collect_into(&mut kept).await.expect("the rest");
    assert_eq!((kept.len(), script.requests().len()), (4, 3));
    let asked = script
        .requests()
        .iter()
        .map(|request| request.query.clone())
        .collect::<Vec<_>>();
    assert!(
        asked[1].ends_with("page=2") && asked[2].ends_with("page=2"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn leaks_that_answer_an_outage_with_200_are_down_all_the_same() {
    let list = ListCredentialLeaks::new(customer(), ID.parse().expect("an id"));
    let mut page = down(json!({"error": "It is down."}));
    page["down"] = json!(false);
    let ended = walked(&list, &[page]).await;
    assert_eq!(
        ended.error.map(|error| error.kind()),
        Some(ErrorKind::LeakSourceUnavailable)
    );
    let unavailable = testing::unavailable_leaks("It is down.");
    assert_eq!(unavailable.status(), http::StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn leaks_without_a_data_set_are_never_no_leaks() {
    let list = ListCredentialLeaks::new(customer(), ID.parse().expect("an id"));
    let data = json!({"enabled": false, "items": [], "total": 0, "page": 1, "page_size": 50});
    let page = json!({"success": true, "data": data});
    let ended = walked(&list, std::slice::from_ref(&page)).await;
    let error = ended.error.expect("an end that says so");
    assert_eq!(error.kind(), ErrorKind::LeakSourceNotConfigured);
    assert!(error.to_string().contains("not configured"), "{error}");
    assert!(!error.is_retryable(), "waiting configures nothing");

    // A page by itself is a result, and after the error the list is at its end.
    let (client, script) = scripted_once();
    script
        .on_named("list_credential_leaks")
        .forever()
        .respond(testing::success(page["data"].clone()));
    let one = client.send(list.clone()).await.expect("a result");
    assert!(!one.data.enabled && one.data.unavailable().is_none());
    let mut items = client.pages(list.clone()).items();
    assert!(items.next().await.is_some_and(|item| item.is_err()));
    assert!(items.next().await.is_none());
    let error = client.pages(list).collect_all().await.expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::LeakSourceNotConfigured);
}

//! Lists: the four links of a page, its numbers, and what comes first.

use http::{Method, Uri};
use secmon::model::DomainId;
use secmon_contract_tests::{Account, cases};
use serde_json::{Value, json};

cases! {
    anywhere:
        all_four_links_of_a_page_lead_where_they_say,
        the_links_of_a_page_beyond_the_end_lead_back;
    steered:
        port_alerts_come_newest_first_on_every_page(World),
        domain_alerts_come_newest_first_on_every_page(World),
        mentions_come_newest_first_on_every_page(Clock, World)
}

async fn read(account: &Account, path: &str) -> Value {
    let call = account.raw(Method::GET, path);
    call.send().await.expect("an answer").json
}

/// The lists of five servers and of five rules, by their paths with a query that a link must keep.
async fn lists_of_five(account: &Account) -> [String; 2] {
    let customer = account.customer();
    let mut servers = Vec::new();
    for last in 1..=5 {
        servers.push(customer.provisioned(&format!("198.51.100.{last}")).await);
    }
    for port in 1..=5 {
        let rule = json!({
            "endpoint_id": servers[0], "port_start": 52200 + port, "protocol": "tcp", "justification": "For a list of rules",
        });
        let call = account.raw(Method::POST, "/api/v1/whitelists").json(&rule);
        assert_eq!(call.send().await.expect("an answer").status, 201);
    }
    let query = format!("billing_customer_id={}&per_page=2", customer.id);
    [
        format!("/api/v1/endpoints?{query}"),
        format!("/api/v1/whitelists?{query}&endpoint_id={}", servers[0]),
    ]
}

/// The page that a link names, once it is sure that all else of it is the list's own; none for null.
#[track_caller]
fn page_of(link: &Value, list: &str) -> Option<u64> {
    let link: Uri = link.as_str()?.parse().expect("an address");
    assert!(
        link.scheme().is_some() && link.host().is_some(),
        "{link} is not absolute"
    );
    let (path, query) = list.split_once('?').expect("a list with a query");
    assert_eq!(link.path(), path);
    let mut kept: Vec<&str> = link.query().unwrap_or_default().split('&').collect();
    let page = kept.iter().position(|pair| pair.starts_with("page="));
    let page = kept.remove(page.expect("a page"));
    let mut own: Vec<&str> = query.split('&').collect();
    kept.sort_unstable();
    own.sort_unstable();
    assert_eq!(kept, own, "the query is kept");
    page["page=".len()..].parse().ok()
}

/// The pages that the links `first`, `last`, `prev` and `next` name.
#[track_caller]
fn links(page: &Value, list: &str) -> [Option<u64>; 4] {
    ["first", "last", "prev", "next"].map(|name| page_of(&page["links"][name], list))
}

fn ids(page: &Value, place: &str) -> Vec<Value> {
    let items = page.pointer(place).and_then(Value::as_array);
    let items = items.unwrap_or_else(|| panic!("no list at {place} of {page}"));
    items.iter().map(|item| item["id"].clone()).collect()
}

async fn all_four_links_of_a_page_lead_where_they_say() {
    let account = Account::new().await;
    for list in lists_of_five(&account).await {
        let whole = read(&account, &list.replace("per_page=2", "per_page=50")).await;
        let whole = ids(&whole, "/data");
        let mut found = Vec::new();
        for (number, prev, next) in [
            (1, None, Some(2)),
            (2, Some(1), Some(3)),
            (3, Some(2), None),
        ] {
            let page = read(&account, &format!("{list}&page={number}")).await;
            assert_eq!(
                links(&page, &list),
                [Some(1), Some(3), prev, next],
                "page {number}"
            );
            assert_eq!(page["meta"]["current_page"], number);
            assert_eq!(page["meta"]["per_page"], 2);
            assert_eq!(page["meta"]["total"], 5);
            found.extend(ids(&page, "/data"));
        }
        assert_eq!(found, whole, "each once, and in order");
        let unnumbered = read(&account, &list).await;
        assert_eq!(links(&unnumbered, &list), [Some(1), Some(3), None, Some(2)]);
    }
}

async fn the_links_of_a_page_beyond_the_end_lead_back() {
    let account = Account::new().await;
    for list in lists_of_five(&account).await {
        let beyond = read(&account, &format!("{list}&page=9")).await;
        let [first, last, prev, next] = links(&beyond, &list);
        assert_eq!((first, last, next), (Some(1), Some(3), None));
        assert!(prev.is_some_and(|prev| prev < 9), "{prev:?}");
        assert!(ids(&beyond, "/data").is_empty());
    }
}

/// Asserts that the pages of a list with these members, two by two, are what it is as a whole, and gives that.
async fn in_pages_too(account: &Account, list: &str, members: &str) -> Vec<Value> {
    let whole = read(account, &format!("{list}&per_page=50")).await;
    let whole = whole["data"][members].as_array().expect("a list").clone();
    let last_page = whole.len().div_ceil(2);
    let mut found = Vec::new();
    for number in 1..=last_page {
        let page = read(account, &format!("{list}&per_page=2&page={number}")).await;
        let data = &page["data"];
        assert_eq!(data["total"], whole.len());
        assert_eq!(
            (&data["current_page"], &data["last_page"]),
            (&json!(number), &json!(last_page))
        );
        assert_eq!(data["has_more"], number < last_page);
        found.extend(ids(data, &format!("/{members}")));
    }
    let expected: Vec<Value> = whole.iter().map(|item| item["id"].clone()).collect();
    assert_eq!(found, expected, "each once, and in order");
    whole
}

async fn port_alerts_come_newest_first_on_every_page() {
    let account = Account::new().await;
    let customer = account.customer();
    let mut open = vec![(9001, "tcp")];
    let server = customer.scanned("203.0.113.110", &open).await;
    for port in 9002..=9005 {
        open.push((port, "tcp"));
        account.open_ports(server, &open).await;
        account.scan(server, "completed").await;
    }
    let list = format!("/api/v1/alerts?billing_customer_id={}", customer.id);
    let alerts = in_pages_too(&account, &list, "alerts").await;
    let ports: Vec<&Value> = alerts.iter().map(|alert| &alert["port"]).collect();
    assert_eq!(ports, [9005, 9004, 9003, 9002, 9001]);
}

async fn watched(account: &Account) -> (DomainId, String) {
    let customer = account.customer();
    let domain = customer
        .watched("example.com", customer.domain_slots(1).await)
        .await;
    (domain, format!("billing_customer_id={}", customer.id))
}

async fn domain_alerts_come_newest_first_on_every_page() {
    let account = Account::new().await;
    let (domain, of_customer) = watched(&account).await;
    for employees in 1..=5 {
        let found =
            json!({"employees": employees, "customers": 0, "third_parties": 0, "mentions": 0});
        account.findings(domain, found).await;
        account.scan_domain(domain).await;
    }
    let list = format!("/api/v1/domains/{domain}/alerts?{of_customer}");
    let alerts = in_pages_too(&account, &list, "alerts").await;
    let counts: Vec<&Value> = alerts.iter().map(|alert| &alert["new_count"]).collect();
    assert_eq!(counts, [5, 4, 3, 2, 1]);
}

async fn mentions_come_newest_first_on_every_page() {
    let account = Account::new().await;
    let (domain, of_customer) = watched(&account).await;
    let mut before: Vec<Value> = Vec::new();
    let list = format!("/api/v1/domains/{domain}/dark-web-mentions?{of_customer}");
    for mentions in [1, 3, 5] {
        account.advance(1000).await;
        let found =
            json!({"employees": 0, "customers": 0, "third_parties": 0, "mentions": mentions});
        account.findings(domain, found).await;
        account.scan_domain(domain).await;
        let shown = in_pages_too(&account, &list, "mentions").await;
        let shown: Vec<Value> = shown.iter().map(|mention| mention["id"].clone()).collect();
        assert_eq!(shown.len(), mentions);
        assert!(
            shown.ends_with(&before),
            "the new ones are before those that were there"
        );
        before = shown;
    }
}

//! Every list with every filter, page and size is the same records, once and in order, also while records come and go.

mod growth;

use std::sync::Arc;

use std::cell::Cell;

use crate::table::Row;
use crate::{
    Case, Listing, MOST_PAGES, Members, NOTHING, Need, Order, RawAnswer, Request, SampleAccount,
    Shape, Stage,
};
use http::{Method, Uri};
use serde_json::{Value, json};

use super::each_operation::of_each;
use growth::{grow, leaving};

/// How often a list grows before it is looked at in pages.
const STEPS: u64 = 3;

/// What says so.
const SPEC_REF: &str = "A13, A18";

pub fn cases() -> Vec<Case> {
    let at_once = of_each(
        SPEC_REF,
        concat!(module_path!(), "::pages_are_the_list"),
        |stage, row| Box::pin(pages_are_the_list(stage, row, false)),
        |row| listing(row).map(|_| needs(row)),
    );
    let later = of_each(
        SPEC_REF,
        concat!(module_path!(), "::pages_are_the_list_as_time_goes_on"),
        |stage, row| Box::pin(pages_are_the_list(stage, row, true)),
        |row| listing(row).map(|_| &[Need::Accounts, Need::Clock, Need::World][..]),
    );
    [at_once, later].concat()
}

fn listing(row: &Row) -> Option<&Listing> {
    row.recipe.as_ref()?.list.as_ref()
}

/// What scans find is listed only where somebody says what they find.
fn needs(row: &Row) -> &'static [Need] {
    match row.operation.as_str() {
        "list_endpoints" | "list_domains" => &[],
        // Those of the whole account come and go with other cases where that is shared.
        "list_rules" => &[Need::Accounts],
        _ => &[Need::World],
    }
}

/// A list, and who asks for it.
struct Asking<'a> {
    row: &'static Row,
    listing: &'static Listing,
    sample: &'a SampleAccount,
    /// Members of the request besides filters and pages.
    base: Members,
    /// The size of a page where nobody says, of a service that has its own.
    own_size: Cell<usize>,
}

async fn pages_are_the_list(stage: Arc<Stage>, row: &'static Row, goes_on: bool) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let sample = SampleAccount::new(&stage).await;
    let owner = recipe.optional.get_key_value("billing_customer_id");
    let mut base = recipe.send.clone();
    base.extend(owner.map(|(name, value)| (name.clone(), value.clone())));
    let asking = Asking {
        row,
        listing: recipe.list.as_ref().expect("a list"),
        sample: &sample,
        base,
        own_size: Cell::new(1),
    };
    if goes_on {
        sample.account.end_scans_by_hand().await;
    }
    let mut all = asking.whole().await;
    asking.page_of(&Members::new(), &all, None, None).await;
    for step in 0..STEPS {
        if goes_on {
            sample.account.advance(1000).await;
        }
        all = asking.grown(&all, step).await;
    }
    if goes_on {
        // A rule that ends has ended.
        sample.account.advance(4 * 24 * 60 * 60).await;
    }
    all = asking.whole().await;
    if asking.listing.size.is_some() {
        asking.in_pages(&Members::new(), &all).await;
        asking.bounds(&all).await;
        asking.filtered(&all).await;
        asking.while_records_come_and_go(all).await;
    }
    if goes_on && owner.is_some() {
        let everybody = Asking {
            base: recipe.send.clone(),
            ..asking
        };
        let all = everybody.whole().await;
        everybody.in_pages(&Members::new(), &all).await;
    }
}

impl Asking<'_> {
    async fn request(&self, more: &Members) -> Request {
        let mut members = self.base.clone();
        members.extend(more.clone());
        self.sample.request(self.row, &members).await
    }

    /// All records, by the largest pages there are.
    async fn whole(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            assert!(page <= MOST_PAGES, "{} goes on and on", self.row.name);
            let mut paging = Members::new();
            if self.listing.size.is_some() {
                paging.insert("page".to_owned(), json!(page));
            }
            let largest = self.listing.largest;
            paging.extend(largest.map(|size| ("per_page".to_owned(), json!(size))));
            let request = self.request(&paging).await;
            let answer = request.send(&self.sample.account).await;
            let found = self.items(&request, &answer);
            let is_last = self
                .listing
                .size
                .is_none_or(|size| found.len() < largest.unwrap_or(size));
            let begins_again = page > 1
                && found
                    .first()
                    .is_some_and(|first| all.first() == Some(first));
            assert!(!begins_again, "{}: the list begins again", request.target());
            all.extend(found);
            if is_last {
                break;
            }
        }
        all
    }

    fn items(&self, request: &Request, answer: &RawAnswer) -> Vec<Value> {
        let items = answer
            .json
            .pointer(&self.listing.items)
            .and_then(Value::as_array);
        let found = items.filter(|_| answer.status == 200).cloned();
        found.unwrap_or_else(|| {
            panic!(
                "{} is answered with no list: {}",
                request.target(),
                answer.json
            )
        })
    }

    /// The list with more records than before: where they must stand, and no other moved.
    async fn grown(&self, before: &[Value], step: u64) -> Vec<Value> {
        let more = grow(self.sample, &self.row.operation, step).await;
        let unseen = match self.listing.filters.contains_key("is_new") {
            true => {
                let new = Members::from_iter([
                    ("is_new".to_owned(), json!(true)),
                    ("per_page".to_owned(), json!(50)),
                ]);
                let request = self.request(&new).await;
                Some(self.items(&request, &request.send(&self.sample.account).await))
            }
            false => None,
        };
        let after = self.whole().await;
        let what = format!("{} when {more} came", self.row.name);
        let count = (before.len() + more).min(self.listing.most.unwrap_or(usize::MAX));
        assert_eq!(after.len(), count, "{what}: records listed");
        let (new, old, kept) = match self.listing.order {
            Some(Order::OldestFirst) => (&after[before.len()..], &after[..before.len()], before),
            Some(Order::NewestFirst) => (&after[..more], &after[more..], &before[..count - more]),
            None => return after,
        };
        assert_eq!(ids(old), ids(kept), "{what}: the others, in their order");
        if let Some(unseen) = unseen {
            assert_eq!(ids(&unseen), ids(new), "{what}: those that are new");
        }
        self.in_order(new, &what);
        after
    }

    /// Records that came with one step stand in the order in which they count as made.
    fn in_order(&self, new: &[Value], what: &str) {
        let times = ["created_at", "first_detected_at"];
        let time = |item: &Value| times.map(|name| item[name].as_str().map(str::to_owned));
        let place = |item: &Value| {
            let members = self.listing.one_moment.iter();
            members
                .map(|name| (item[name].as_u64(), item[name].to_string()))
                .collect::<Vec<_>>()
        };
        // Records of two servers come of two scans.
        let pairs = new.windows(2).filter(|pair| {
            pair[0]["endpoint_id"] == pair[1]["endpoint_id"] || self.listing.one_moment.is_empty()
        });
        for pair in pairs {
            let (first, second) = match self.listing.order {
                Some(Order::NewestFirst) => (&pair[1], &pair[0]),
                _ => (&pair[0], &pair[1]),
            };
            let follows = (time(first), place(first)) <= (time(second), place(second));
            assert!(
                follows,
                "{what}: {second} was made before {first}, by where it stands"
            );
        }
    }

    /// Asks for a page of a list that has these records, and judges all of the answer.
    async fn page_of(
        &self,
        filters: &Members,
        list: &[Value],
        size: Option<usize>,
        page: Option<usize>,
    ) -> Value {
        let mut members = filters.clone();
        members.extend(size.map(|size| ("per_page".to_owned(), json!(size))));
        members.extend(page.map(|page| ("page".to_owned(), json!(page))));
        let request = self.request(&members).await;
        let answer = request.send(&self.sample.account).await;
        let found = self.items(&request, &answer);
        let Some(default) = self.listing.size else {
            return answer.json;
        };
        let size = match size {
            None if self.listing.size_is_assumed && !self.sample.account.is_the_mocks() => {
                self.own_size(&answer.json, page.unwrap_or(1), found.len())
            }
            size => size.unwrap_or(default),
        };
        let page = page.unwrap_or(1);
        let start = list.len().min((page - 1).saturating_mul(size));
        let expected = &list[start..list.len().min(start + size)];
        assert_eq!(
            ids(&found),
            ids(expected),
            "{}: what is on the page",
            request.target()
        );
        let last = list.len().div_ceil(size).max(1);
        self.numbers(&request, &answer.json, [list.len(), size, page, last]);
        if self.listing.shape == Shape::Linked {
            self.links(&request, &answer.json["links"], page, last);
        }
        answer.json
    }

    /// The size of the pages of a service that has its own: as it says, or as the first page had it.
    fn own_size(&self, answer: &Value, page: usize, found: usize) -> usize {
        if page == 1 {
            let told = answer["meta"]["per_page"].as_u64();
            self.own_size
                .set(told.map_or(found, |told| told as usize).max(1));
        }
        self.own_size.get()
    }

    /// What a page says of itself.
    fn numbers(&self, request: &Request, answer: &Value, [total, size, page, last]: [usize; 4]) {
        let said = |place: &str, names: [&str; 3]| names.map(|name| answer[place][name].clone());
        let target = request.target();
        match self.listing.shape {
            Shape::Whole => {}
            Shape::Linked => assert_eq!(
                said("meta", ["total", "per_page", "current_page"]),
                [json!(total), json!(size), json!(page)],
                "{target}: total, per_page, current_page"
            ),
            Shape::Counted => {
                assert_eq!(
                    said("data", ["total", "current_page", "last_page"]),
                    [json!(total), json!(page), json!(last)],
                    "{target}: total, current_page, last_page"
                );
                assert_eq!(
                    answer["data"]["has_more"],
                    page < last,
                    "{target}: has_more"
                );
            }
            Shape::Leaks => assert_eq!(
                said("data", ["total", "page", "page_size"]),
                [json!(total), json!(page), json!(size)],
                "{target}: total, page, page_size"
            ),
        }
    }

    /// The four links lead where they say, with all of the query.
    fn links(&self, request: &Request, links: &Value, page: usize, last: usize) {
        let pages = [
            ("first", Some(1)),
            ("last", Some(last)),
            ("prev", (page > 1).then(|| page - 1)),
            ("next", (page < last).then_some(page + 1)),
        ];
        for (name, expected) in pages {
            let target = request.target();
            let link = links[name].as_str();
            assert_eq!(
                link.is_some(),
                expected.is_some(),
                "{target}: the link {name} is {}",
                links[name]
            );
            let (Some(link), Some(number)) = (link, expected) else {
                continue;
            };
            let address: Uri = link.parse().unwrap_or_default();
            assert!(
                address.scheme().is_some() && address.host().is_some(),
                "{target}: {name} is not absolute: {link}"
            );
            assert_eq!(address.path(), request.path, "{target}: the path of {name}");
            let mut own: Vec<String> = request
                .query
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            own.retain(|pair| !pair.starts_with("page="));
            own.push(format!("page={number}"));
            own.sort_unstable();
            let mut kept: Vec<&str> = address.query().unwrap_or_default().split('&').collect();
            if !self.sample.account.is_the_mocks() {
                // What else leads there is the service's own.
                kept.retain(|pair| own.iter().any(|own| own == pair));
            }
            kept.sort_unstable();
            assert_eq!(kept, own, "{target}: the query of {name}");
        }
    }

    /// Pages of several sizes, each to its end and beyond.
    async fn in_pages(&self, filters: &Members, list: &[Value]) {
        let count = list.len();
        let sizes = match self.listing.largest {
            None => vec![None],
            Some(largest) => [count.div_ceil(3), count / 2, count, largest]
                .map(|size| Some(size.clamp(1, largest)))
                .into_iter()
                .chain([None])
                .collect(),
        };
        for size in sizes {
            let by = size.or(self.listing.size).unwrap_or(1);
            let last = count.div_ceil(by).max(1);
            let pages = (1..=last + 1).chain([last + 3]).map(Some);
            for page in pages.chain([None]) {
                self.page_of(filters, list, size, page).await;
            }
        }
    }

    /// The smallest and the largest size are given, those beyond are refused.
    async fn bounds(&self, list: &[Value]) {
        let Some(largest) = self.listing.largest else {
            return;
        };
        self.page_of(&Members::new(), list, Some(1), Some(list.len().max(1)))
            .await;
        for size in [0, largest + 1, 2 * largest] {
            let beyond = Members::from_iter([("per_page".to_owned(), json!(size))]);
            let request = self.request(&beyond).await;
            let answer = request.send(&self.sample.account).await;
            let named = answer.json["errors"].get("per_page").is_some();
            assert!(
                answer.outcome() == "422 fields" && named,
                "{}: {}",
                request.target(),
                answer.json
            );
        }
    }

    /// Every combination of filters selects what all of them select.
    async fn filtered(&self, list: &[Value]) {
        let mut combinations = vec![(Members::new(), Members::new())];
        for (parameter, values) in &self.listing.filters {
            // Where a service has further words (F1), what a word of ours selects is not seen.
            let ours = |word: &str| values.keys().any(|key| key == word || key.starts_with('$'));
            let mut words = list.iter().filter_map(|item| item[parameter].as_str());
            if !words.all(ours) {
                continue;
            }
            for (filters, selected) in combinations.clone() {
                for (value, selects) in values {
                    let (mut filters, mut selected) = (filters.clone(), selected.clone());
                    filters.insert(parameter.clone(), json!(value));
                    selected.extend(selects.clone());
                    combinations.push((filters, selected));
                }
            }
        }
        for (filters, selected) in combinations.iter().skip(1) {
            let selected = self.sample.filled(selected).await;
            let chosen = list
                .iter()
                .filter(|item| selected.iter().all(|(name, value)| is(&item[name], value)));
            let chosen: Vec<Value> = chosen.cloned().collect();
            let (size, largest) = (self.listing.largest.map(|_| 2), self.listing.largest);
            self.page_of(filters, &chosen, size, Some(1)).await;
            self.page_of(filters, &chosen, size, Some(2)).await;
            if filters.len() == 1 && chosen.len() > 4 {
                self.page_of(filters, &chosen, largest, None).await;
            }
        }
    }

    /// A page is that part of the list as it is when it is asked for.
    async fn while_records_come_and_go(&self, list: Vec<Value>) {
        let size = self.listing.largest.map(|_| 2);
        let none = Members::new();
        self.page_of(&none, &list, size, Some(1)).await;
        let longer = self.grown(&list, STEPS).await;
        self.page_of(&none, &longer, size, Some(2)).await;
        let Some((filter, path)) = leaving(&self.row.operation) else {
            return;
        };
        let filters: Members = filter
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        let selected: Vec<Value> = longer
            .into_iter()
            .filter(|item| filters.iter().all(|(name, value)| item[name] == *value))
            .collect();
        self.page_of(&filters, &selected, size, Some(1)).await;
        let members = self.sample.filled(&self.base).await;
        let owner = json!({"billing_customer_id": members["billing_customer_id"]});
        let id = selected[0]["id"].as_str().expect("an id");
        let domain = members
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let path = path.replace("{id}", id).replace("{domain}", domain);
        let (method, body) = match path.split('/').count() {
            2 => (Method::DELETE, Value::Null),
            _ => (Method::POST, owner),
        };
        let path = format!("/api/v1/{path}");
        self.sample.ask(method, &path, &body).await;
        self.page_of(&filters, &selected[1..], size, Some(2)).await;
        self.in_pages(&filters, &selected[1..]).await;
    }
}

fn ids(items: &[Value]) -> Vec<&Value> {
    items
        .iter()
        .map(|item| item.get("id").unwrap_or(item))
        .collect()
}

/// Whether a member is so; `$nothing` stands for one that is null.
fn is(member: &Value, value: &Value) -> bool {
    match value.as_str() {
        Some(NOTHING) => member.is_null(),
        _ => member == value,
    }
}

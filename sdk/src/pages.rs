//! Lists that come in pages.

mod progress;

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde_json::Value;
use uuid::Uuid;

use crate::client::Client;
use crate::error::{CallFacts, Delivery, Error, ErrorKind};
use crate::future::BoxFuture;
use crate::operation::Operation;
use crate::page::{Page, Position};
use crate::response::Response;
use progress::Progress;

/// An operation that answers with one page of a list, and takes the number of the page as its field `page`.
pub trait PagedOperation: Operation<Output: Page> + Clone + 'static {}

impl<O: Operation<Output: Page> + Clone + 'static> PagedOperation for O {}

/// What a list is made of.
pub(crate) type ItemOf<O> = <<O as Operation>::Output as Page>::Item;

/// The pages of a list, fetched one by one.
///
/// A page that fails loses nothing of what came before. After an error that [passes by itself](Error::is_retryable) the
/// next call to [`next`](Pages::next) asks for the same page again; any other error is the end of the list, so that
/// `while let` and an iterator that skips errors come to an end. To go on in another process, start a request at
/// [`position`](Pages::position).
///
/// Each page is a call: [`operation_timeout`](crate::RequestOptions::operation_timeout) and the other
/// [`RequestOptions`](crate::RequestOptions) hold for one page, and nothing bounds the time of the whole list.
///
/// # Lists that move
///
/// Pages are counted off from the start of the list, so that records which come and go while it is read move others from
/// one page to the next: past the reader, or in front of it a second time. Where the list is shown, read it once
/// ([`items`](Pages::items), [`collect_all`](Pages::collect_all)): no record comes twice, and
/// [`has_moved`](Pages::has_moved) says whether it changed meanwhile. Where something is decided by it, use
/// [`collect_stable`](Pages::collect_stable), which reads until two passes agree.
///
/// # Lists that are wrong
///
/// A list that contradicts itself ends with an error of the kind [`Decode`](ErrorKind::Decode): a page of another number
/// than was asked for, the page before once more, two pages in a row without a new record, fewer items in all than the
/// last page counts or more than a page counts that says more follows, or members of one page that disagree about whether
/// another follows. So does one of more than 10,000 pages ([`max_pages`](Pages::max_pages)). A source that is down ends it with
/// [`LeakSourceUnavailable`](ErrorKind::LeakSourceUnavailable), one that is not configured with [`LeakSourceNotConfigured`](ErrorKind::LeakSourceNotConfigured), each after
/// the page that says so.
#[must_use = "a list is read only when its pages or items are asked for"]
pub struct Pages<O: PagedOperation> {
    client: Client,
    list: O,
    next: Option<u32>,
    /// What is wrong with the page that was handed out last.
    deferred_error: Option<Error>,
    /// Whether a changed request named another customer: such a list is never read.
    is_refused: bool,
    /// The error that ended the list before its end.
    broken: Option<(ErrorKind, Delivery)>,
    progress: Progress<ItemOf<O>>,
    /// Items that are wanted.
    max_items: usize,
    max_pages: u32,
}

/// Pages of a list unless set; no list of the service is nearly as long.
const MOST_PAGES: u32 = 10_000;
/// How often a list is read until two passes agree.
const MOST_PASSES: u32 = 5;

impl Client {
    /// The pages of a list, from the page that the request names (the first, if none).
    pub fn pages<O: PagedOperation>(&self, list: O) -> Pages<O> {
        Pages::new(self.clone(), list)
    }
}

impl<O: PagedOperation> Pages<O> {
    fn new(client: Client, list: O) -> Self {
        let first = first_page(&list);
        Self {
            client,
            list,
            next: Some(first),
            deferred_error: None,
            is_refused: false,
            broken: None,
            progress: Progress::new(first, usize::MAX),
            max_items: usize::MAX,
            max_pages: MOST_PAGES,
        }
    }

    /// Changes the request, as in `list.with_request(|alerts| alerts.severity(Severity::Critical))`; the list starts anew.
    ///
    /// A customer's list stays that customer's: a change of its customer ends it with an error before anything is sent.
    pub fn with_request(self, change: impl FnOnce(O) -> O) -> Self {
        let customer = field(&self.list, CUSTOMER);
        let mut changed = Self::new(self.client, change(self.list))
            .max_items(self.max_items)
            .max_pages(self.max_pages);
        let is_anothers = customer.is_some() && customer != field(&changed.list, CUSTOMER);
        if self.is_refused || is_anothers {
            changed.is_refused = true;
            changed.next = None;
        }
        changed
    }

    fn refusal(&self) -> Error {
        let reason = "not sent: the changed request is for another customer; ask for that customer's list, or for the account's";
        let error = Error::configuration(reason).about(CallFacts::of(O::INFO));
        self.client.refuse(O::INFO.name, error)
    }

    /// Stops after this many items; the page that reaches the number is the last that is fetched.
    pub fn max_items(mut self, items: usize) -> Self {
        self.max_items = items;
        self.progress.left = items;
        self
    }

    /// Longest list that is read, in pages; 10,000 unless set. A longer one ends with an error of the kind
    /// [`Decode`](ErrorKind::Decode), unless the pages read hold as many items as are wanted
    /// ([`max_items`](Pages::max_items)).
    pub fn max_pages(mut self, pages: u32) -> Self {
        self.max_pages = pages;
        self
    }

    /// Whether records came or went while the pages so far were read, as far as one pass can tell: a record came a second
    /// time, or the total changed. Then a record may have been passed over.
    pub fn has_moved(&self) -> bool {
        self.progress.has_moved
    }

    /// Number of the page that comes next; `None` at the end.
    pub fn position(&self) -> Option<u32> {
        self.next.filter(|_| self.progress.left > 0)
    }

    /// The next page; `None` after the last one, and after an error that is not [retryable](Error::is_retryable). After
    /// one that is, the same page is asked for again. The page is as the service sent it: it may hold records of a page
    /// before, and with [`max_items`](Pages::max_items) the last one more than is left.
    pub async fn next(&mut self) -> Option<Result<Response<O::Output>, Error>> {
        let read = match self.deferred_error.take() {
            Some(deferred_error) => Err(deferred_error),
            None if self.is_refused && self.broken.is_none() => Err(self.refusal()),
            None => self.read(self.position()?).await,
        };
        if let Some(error) = read.as_ref().err().filter(|error| !error.is_retryable()) {
            self.next = None;
            self.broken = Some((error.kind(), error.delivery()));
        }
        Some(read)
    }

    /// The items of the next page that are no repeats, and no more than are wanted.
    async fn next_items(&mut self) -> Option<Result<Vec<ItemOf<O>>, Error>> {
        let wanted = self.progress.left;
        let page = match self.next().await? {
            Ok(page) => page,
            Err(error) => return Some(Err(error)),
        };
        let fresh = std::mem::take(&mut self.progress.fresh);
        let items = page.data.into_items().into_iter().zip(fresh);
        let fresh = items.filter_map(|(item, is_fresh)| is_fresh.then_some(item));
        Some(Ok(fresh.take(wanted).collect()))
    }

    async fn read(&mut self, number: u32) -> Result<Response<O::Output>, Error> {
        let call = self.client.call(self.list.clone()).page(number);
        let response = call.send().await?;
        match self.progress.take(&response.data) {
            Ok(()) => {
                self.follow(response.data.position(), &response);
                Ok(response)
            }
            Err(reason) => Err(response.list_error(ErrorKind::Decode, O::INFO, reason)),
        }
    }

    /// Decides what comes after a page, and keeps for the next call what is wrong with it.
    fn follow(&mut self, position: Position, response: &Response<O::Output>) {
        let count = response.data.items().len();
        if position.source_unavailable {
            let reason = "the source of these records is down, so the list is not complete";
            self.deferred_error =
                Some(response.list_error(ErrorKind::LeakSourceUnavailable, O::INFO, reason));
            return;
        }
        if position.source_not_configured {
            let reason = "the source of these records is not configured for the account, so there is no list";
            self.end_with(ErrorKind::LeakSourceNotConfigured, reason, response);
            return;
        }
        let more = self.what_follows(position, count);
        match more {
            Ok(true) if self.progress.left > 0 && self.progress.pages >= self.max_pages => {
                let reason = format!("the list has more than {} pages", self.max_pages);
                self.progress.is_too_long = true;
                self.end_with(ErrorKind::Decode, &reason, response);
            }
            Ok(more) => {
                self.next = self
                    .next
                    .filter(|_| more)
                    .and_then(|page| page.checked_add(1))
            }
            Err(reason) => self.end_with(ErrorKind::Decode, reason, response),
        }
    }

    /// Whether a page follows this one of so many items.
    fn what_follows(&self, position: Position, count: usize) -> Result<bool, &'static str> {
        let before = || u64::from(position.number) * u64::from(position.per_page.unwrap_or(0));
        let counted = self.progress.read.zip(position.total);
        let tells = position.total.is_some() || position.claims().count() > 0;
        match position.more(self.progress.read.unwrap_or_else(before))? {
            true if count == 0 && tells => Err("the page is empty, but says that more follows"),
            true if counted.is_some_and(|(read, total)| read >= total) => {
                Err("the page says that more follows, after as many items as it counts")
            }
            true => Ok(count > 0),
            false if counted.is_some_and(|(read, total)| read < total) => {
                Err("the list ends before as many items as it counts")
            }
            false => Ok(false),
        }
    }

    fn end_with(&mut self, kind: ErrorKind, reason: &str, response: &Response<O::Output>) {
        self.next = None;
        self.deferred_error = Some(response.list_error(kind, O::INFO, reason));
    }

    /// Adds the remaining items to a list; after an error it holds all that came before. A further call goes on where
    /// the error was [retryable](Error::is_retryable), and else fails with the same kind: what it has is never the
    /// whole list.
    ///
    /// # Errors
    /// That of the page that failed.
    pub async fn collect_into(&mut self, items: &mut Vec<ItemOf<O>>) -> Result<(), Error> {
        loop {
            match self.next_items().await {
                None => {
                    return self
                        .broken
                        .map_or(Ok(()), |cause| Err(Self::broken_by(cause)));
                }
                Some(page) => items.extend(page?),
            }
        }
    }

    fn broken_by((kind, delivery): (ErrorKind, Delivery)) -> Error {
        let reason = "an error ended the list before, so it is not complete";
        Error::new(kind, reason).about(CallFacts {
            delivery,
            ..CallFacts::of(O::INFO)
        })
    }

    /// All remaining items by one pass, for a list that is shown: see [lists that move](Pages#lists-that-move).
    ///
    /// # Errors
    /// That of the page that failed; [`collect_into`](Pages::collect_into) keeps what came before it.
    pub async fn collect_all(mut self) -> Result<Vec<ItemOf<O>>, Error> {
        let mut items = Vec::new();
        self.collect_into(&mut items).await?;
        Ok(items)
    }

    /// The whole list, for a decision: a list of more than one page is read until two passes in a row show the same
    /// records, so that one that was there all the time is neither missing nor there twice. It takes two to five times
    /// the calls of [`collect_all`](Pages::collect_all), one pass for a list of one page.
    ///
    /// # Errors
    /// That of the page that failed, [`ErrorKind::Decode`] when two passes in a row contradict themselves in the same way, or
    /// the list counts more records than it shows, and
    /// [`ErrorKind::ListMoved`] when no two of five passes were the same;
    /// [`collect_stable_into`](Pages::collect_stable_into) keeps what was read.
    pub async fn collect_stable(mut self) -> Result<Vec<ItemOf<O>>, Error> {
        let mut items = Vec::new();
        self.collect_stable_into(&mut items).await?;
        Ok(items)
    }

    /// The same, into a list that is replaced; after an error it holds what the last pass read.
    ///
    /// # Errors
    /// As for [`collect_stable`](Pages::collect_stable).
    pub async fn collect_stable_into(&mut self, items: &mut Vec<ItemOf<O>>) -> Result<(), Error> {
        if self.is_refused {
            return Err(self.refusal());
        }
        if let Some(deferred_error) = self.deferred_error.take() {
            return Err(deferred_error);
        }
        let mut before: Option<(Vec<ItemOf<O>>, Option<u64>)> = None;
        let mut reason_before: Option<String> = None;
        for _ in 0..MOST_PASSES {
            self.start_again();
            items.clear();
            let passed = self.collect_into(items).await;
            let lacking = self.lacking();
            let is_same = before.as_ref().is_some_and(|(before, lacked)| {
                *lacked == lacking && are_the_same::<O>(before, items)
            });
            match passed {
                Ok(()) if is_same || self.progress.pages <= 1 => {
                    return lacking.map_or(Ok(()), |lacking| Err(Self::not_whole(lacking)));
                }
                Ok(()) => {
                    before = Some((items.clone(), lacking));
                    reason_before = None;
                }
                // Pages that were moved so far look like this too; the next pass tells.
                Err(error) if self.may_have_moved(&error) => {
                    let reason = error.to_string();
                    if reason_before.as_ref() == Some(&reason) {
                        return Err(error);
                    }
                    before = None;
                    reason_before = Some(reason);
                }
                Err(error) => return Err(error),
            }
        }
        let reason =
            "records came and went while the list was read: no two of five passes were the same";
        let moved = Error::new(ErrorKind::ListMoved, reason);
        Err(moved.about(CallFacts {
            delivery: Delivery::Answered,
            ..CallFacts::of(O::INFO)
        }))
    }

    /// How many records are on no page of a list that was read to its end.
    fn lacking(&self) -> Option<u64> {
        self.progress.lacks().filter(|_| self.progress.left > 0)
    }

    /// Pages of a list whose order is not stable.
    fn not_whole(lacking: u64) -> Error {
        let reason = format!(
            "the list counts {lacking} more records than its pages show: some stand on two pages, and others on none"
        );
        Error::new(ErrorKind::Decode, reason).about(CallFacts {
            delivery: Delivery::Answered,
            ..CallFacts::of(O::INFO)
        })
    }

    /// Whether a list that moved can be why a pass ended so.
    fn may_have_moved(&self, error: &Error) -> bool {
        let progress = &self.progress;
        progress.has_moved && !progress.is_too_long && error.kind() == ErrorKind::Decode
    }

    fn start_again(&mut self) {
        let first = first_page(&self.list);
        self.next = Some(first);
        self.deferred_error = None;
        self.broken = None;
        self.progress = Progress::new(first, self.max_items);
    }

    /// The items as a stream, which fetches a page when the one before is used up.
    pub fn items(self) -> Items<O> {
        Items {
            ready: Vec::new().into_iter(),
            has_moved: self.has_moved(),
            fetching: Box::pin(fetch(self)),
        }
    }
}

/// The items of a list, one by one.
///
/// An error stands in the place of the page that failed. Asking on tries that page again when the error was
/// [retryable](Error::is_retryable), at once, so pause before; after any other error the list is at its end.
#[must_use = "items are fetched only when they are asked for"]
pub struct Items<O: PagedOperation> {
    ready: std::vec::IntoIter<ItemOf<O>>,
    has_moved: bool,
    /// Not started before it is first polled, so a page is fetched only when its items are wanted.
    fetching: BoxFuture<'static, PageFetch<O>>,
}

/// The pages again, and the items of the page that was fetched; `None` at the end.
type PageFetch<O> = (Pages<O>, Option<Result<Vec<ItemOf<O>>, Error>>);

async fn fetch<O: PagedOperation>(mut pages: Pages<O>) -> PageFetch<O> {
    let fetched = pages.next_items().await;
    (pages, fetched)
}

/// Whether two passes read the same records; those without an id are compared as they are.
fn are_the_same<O: PagedOperation>(before: &[ItemOf<O>], now: &[ItemOf<O>]) -> bool {
    let ids = |items: &[ItemOf<O>]| -> Option<BTreeSet<Uuid>> {
        items.iter().map(O::Output::id).collect()
    };
    match (ids(before), ids(now)) {
        (Some(before), Some(now)) => before == now,
        _ => before == now,
    }
}

impl<O: PagedOperation> Items<O> {
    /// The next item, without the need for a stream library.
    pub async fn next(&mut self) -> Option<Result<ItemOf<O>, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Whether records came or went while the pages so far were read: see [`Pages::has_moved`].
    pub fn has_moved(&self) -> bool {
        self.has_moved
    }
}

impl<O: PagedOperation> Unpin for Items<O> {}

impl<O: PagedOperation> Stream for Items<O> {
    type Item = Result<ItemOf<O>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.ready.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            let (pages, fetched) = ready!(this.fetching.as_mut().poll(context));
            this.has_moved = pages.has_moved();
            this.fetching = Box::pin(fetch(pages));
            match fetched {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(items)) => this.ready = items.into_iter(),
            }
        }
    }
}

impl<O: PagedOperation> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("operation", &O::INFO.name)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl<O: PagedOperation> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("operation", &O::INFO.name)
            .finish_non_exhaustive()
    }
}

/// The field that names the customer of a list.
const CUSTOMER: &str = "billing_customer_id";

/// A field of a request as it travels; `None` where it has none, or null.
fn field(list: &impl Operation, name: &str) -> Option<Value> {
    let mut fields = serde_json::to_value(list).ok()?;
    let field = fields.get_mut(name).map(Value::take);
    field.filter(|field| !field.is_null())
}

/// The page that the request itself asks for.
fn first_page(list: &impl Operation) -> u32 {
    let page = field(list, "page").as_ref().and_then(Value::as_u64);
    page.and_then(|page| u32::try_from(page).ok()).unwrap_or(1)
}

//! Lists that come in pages.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde_json::Value;

use crate::client::Client;
use crate::error::{CallFacts, Error, ErrorKind, Sent};
use crate::operation::Operation;
use crate::pipeline::transport::BoxFuture;
use crate::response::Response;

/// One page of a list.
pub trait Page {
    /// What the list is made of.
    type Item: Clone + PartialEq + Send;

    /// The items of this page.
    fn items(&self) -> &[Self::Item];

    /// The items of this page, taken out.
    fn into_items(self) -> Vec<Self::Item>;

    /// What the answer says about where this page stands.
    fn position(&self) -> Position;
}

/// What an answer says about where its page stands in the list; `None` for what it does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Number of the page, from 1.
    pub number: u32,
    /// Items in the whole list.
    pub total: Option<u64>,
    /// Items on a full page.
    pub per_page: Option<u32>,
    /// Whether a page follows.
    pub has_more: Option<bool>,
    /// Number of the last page.
    pub last_page: Option<u32>,
    /// Whether there is a link to a next page.
    pub next_link: Option<bool>,
    /// Whether the source behind the list is down, so that the page says nothing about what there is.
    pub source_down: bool,
    /// Whether there is no such source for the account, so that the page says nothing either.
    pub source_off: bool,
}

impl Position {
    /// A page that tells its number, and perhaps how many items there are.
    pub const fn of(number: u32, total: Option<u64>) -> Self {
        Self {
            number,
            total,
            per_page: None,
            has_more: None,
            last_page: None,
            next_link: None,
            source_down: false,
            source_off: false,
        }
    }

    /// Each word of the answer about whether a page follows.
    fn claims(&self) -> impl Iterator<Item = bool> {
        let by_last_page = self.last_page.map(|last| self.number < last);
        [self.has_more, by_last_page, self.next_link]
            .into_iter()
            .flatten()
    }

    /// Whether a page follows, after so many items in all.
    ///
    /// # Errors
    /// When what the answer says about it does not agree.
    fn more(&self, read: u64) -> Result<bool, &'static str> {
        let mut claims = self.claims();
        let Some(first) = claims.next() else {
            return Ok(self.total.is_none_or(|total| read < total));
        };
        match claims.all(|claim| claim == first) {
            true => Ok(first),
            false => Err("the page contradicts itself about whether another page follows"),
        }
    }
}

/// An operation that answers with one page of a list, and takes the number of the page as its field `page`.
pub trait PagedOperation: Operation<Output: Page> + Clone + 'static {}

impl<O: Operation<Output: Page> + Clone + 'static> PagedOperation for O {}

/// What a list is made of.
type ItemOf<O> = <<O as Operation>::Output as Page>::Item;

/// The pages of a list, fetched one by one.
///
/// A page that fails loses nothing of what came before. After an error that [passes by itself](Error::is_retryable) the
/// next call to [`next`](Pages::next) asks for the same page again; any other error is the end of the list, so that
/// `while let` and an iterator that skips errors come to an end. To go on in another process, start a request at
/// [`position`](Pages::position).
///
/// A list that contradicts itself ends with an error of the kind [`Decode`](ErrorKind::Decode): a page of another number
/// than was asked for, a page sent twice, fewer items in all than the last page counts, or members of one page that
/// disagree about whether another follows. A source that is down ends it with
/// [`SourceDown`](ErrorKind::SourceDown), one that is not configured with [`SourceOff`](ErrorKind::SourceOff), each after
/// the page that says so.
pub struct Pages<O: PagedOperation> {
    client: Client,
    list: O,
    next: Option<u32>,
    /// What is wrong with the page that was handed out last.
    trouble: Option<Error>,
    /// The error that ended the list before its end.
    broken: Option<(ErrorKind, Sent)>,
    /// First item of the page before: a service that sends the same page for ever must not be followed.
    seen: Option<ItemOf<O>>,
    /// Items read; `None` when the first page is not the list's first, so that they say nothing about the whole.
    read: Option<u64>,
    left: usize,
}

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
            trouble: None,
            broken: None,
            seen: None,
            read: (first == 1).then_some(0),
            left: usize::MAX,
        }
    }

    /// Changes the request, as in `list.filter(|alerts| alerts.severity(Severity::Critical))`; the list starts anew.
    ///
    /// A customer's list stays that customer's: a change of its customer ends it with an error before anything is sent.
    #[must_use]
    pub fn filter(self, change: impl FnOnce(O) -> O) -> Self {
        let customer = field(&self.list, CUSTOMER);
        let mut changed = Self {
            left: self.left,
            ..Self::new(self.client, change(self.list))
        };
        if customer.is_some() && customer != field(&changed.list, CUSTOMER) {
            let reason = "not sent: the filter changes whose list it is; ask for that customer's list, or for the account's";
            let refused = Error::configuration(reason).about(CallFacts::of(O::INFO));
            changed.trouble = Some(refused);
            changed.next = None;
        }
        changed
    }

    /// Stops after this many items; the page that reaches the number is the last that is fetched.
    #[must_use]
    pub fn max_items(mut self, items: usize) -> Self {
        self.left = items;
        self
    }

    /// Number of the page that comes next; `None` at the end.
    pub fn position(&self) -> Option<u32> {
        self.next.filter(|_| self.left > 0)
    }

    /// The next page; `None` after the last one, and after an error that is not [retryable](Error::is_retryable). After
    /// one that is, the same page is asked for again. With [`max_items`](Pages::max_items) the last page may hold more
    /// than is left.
    pub async fn next(&mut self) -> Option<Result<Response<O::Output>, Error>> {
        let read = match self.trouble.take() {
            Some(trouble) => Err(trouble),
            None => self.read(self.position()?).await,
        };
        if let Some(error) = read.as_ref().err().filter(|error| !error.is_retryable()) {
            self.next = None;
            self.broken = Some((error.kind(), error.sent()));
        }
        Some(read)
    }

    async fn read(&mut self, number: u32) -> Result<Response<O::Output>, Error> {
        let call = self.client.call(self.list.clone()).page(number);
        let response = call.send().await?;
        let position = response.data.position();
        let first = response.data.items().first();
        let reason = if position.number != number {
            "the page has another number than was asked for"
        } else if first.is_some() && first == self.seen.as_ref() {
            "the page before came a second time"
        } else {
            self.seen = first.cloned();
            self.follow(position, &response);
            return Ok(response);
        };
        Err(response.list_error(ErrorKind::Decode, O::INFO, reason))
    }

    /// Decides what comes after a page, and keeps for the next call what is wrong with it.
    fn follow(&mut self, position: Position, response: &Response<O::Output>) {
        let count = response.data.items().len();
        if position.source_down {
            let reason = "the source of these records is down, so the list is not complete";
            self.trouble = Some(response.list_error(ErrorKind::SourceDown, O::INFO, reason));
            return;
        }
        if position.source_off {
            let reason = "the source of these records is not configured for the account, so there is no list";
            self.end_with(ErrorKind::SourceOff, reason, response);
            return;
        }
        self.left = self.left.saturating_sub(count);
        self.read = self.read.map(|read| read + count as u64);
        let before = || u64::from(position.number) * u64::from(position.per_page.unwrap_or(0));
        let read = self.read.unwrap_or_else(before);
        let more = match position.more(read) {
            Ok(true)
                if count == 0 && (position.total.is_some() || position.claims().count() > 0) =>
            {
                Err("the page is empty, but says that more follows")
            }
            Ok(true) => Ok(count > 0),
            Ok(false)
                if self
                    .read
                    .zip(position.total)
                    .is_some_and(|(read, total)| read < total) =>
            {
                Err("the list ends before as many items as it counts")
            }
            other => other,
        };
        match more {
            Ok(more) => {
                self.next = self
                    .next
                    .filter(|_| more)
                    .and_then(|page| page.checked_add(1))
            }
            Err(reason) => self.end_with(ErrorKind::Decode, reason, response),
        }
    }

    fn end_with(&mut self, kind: ErrorKind, reason: &str, response: &Response<O::Output>) {
        self.next = None;
        self.trouble = Some(response.list_error(kind, O::INFO, reason));
    }

    /// Adds the remaining items to a list; after an error it holds all that came before. A further call goes on where
    /// the error was [retryable](Error::is_retryable), and else fails with the same kind: what it has is never the
    /// whole list.
    ///
    /// # Errors
    /// That of the page that failed.
    pub async fn collect_into(&mut self, items: &mut Vec<ItemOf<O>>) -> Result<(), Error> {
        loop {
            let room = self.left;
            match self.next().await {
                None => {
                    return self
                        .broken
                        .map_or(Ok(()), |cause| Err(Self::broken_by(cause)));
                }
                Some(page) => items.extend(page?.data.into_items().into_iter().take(room)),
            }
        }
    }

    fn broken_by((kind, sent): (ErrorKind, Sent)) -> Error {
        let reason = "an error ended the list before, so it is not complete";
        Error::new(kind, reason).about(CallFacts {
            sent,
            ..CallFacts::of(O::INFO)
        })
    }

    /// All remaining items.
    ///
    /// # Errors
    /// That of the page that failed; [`collect_into`](Pages::collect_into) keeps what came before it.
    pub async fn collect_all(mut self) -> Result<Vec<ItemOf<O>>, Error> {
        let mut items = Vec::new();
        self.collect_into(&mut items).await?;
        Ok(items)
    }

    /// The items as a stream, which fetches a page when the one before is used up.
    pub fn items(self) -> Items<O> {
        Items {
            ready: Vec::new().into_iter(),
            fetching: Box::pin(fetch(self)),
        }
    }
}

/// The items of a list, one by one.
///
/// An error stands in the place of the page that failed. Asking on tries that page again when the error was
/// [retryable](Error::is_retryable), at once, so pause before; after any other error the list is at its end.
pub struct Items<O: PagedOperation> {
    ready: std::vec::IntoIter<ItemOf<O>>,
    /// Not started before it is first polled, so a page is fetched only when its items are wanted.
    fetching: BoxFuture<'static, Fetched<O>>,
}

/// The pages again, and the items of the page that was fetched; `None` at the end.
type Fetched<O> = (Pages<O>, Option<Result<Vec<ItemOf<O>>, Error>>);

async fn fetch<O: PagedOperation>(mut pages: Pages<O>) -> Fetched<O> {
    let room = pages.left;
    let fetched = pages.next().await.map(|page| {
        let mut items = page?.data.into_items();
        items.truncate(room);
        Ok(items)
    });
    (pages, fetched)
}

impl<O: PagedOperation> Items<O> {
    /// The next item, without the need for a stream library.
    pub async fn next(&mut self) -> Option<Result<ItemOf<O>, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
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
            this.fetching = Box::pin(fetch(pages));
            match fetched {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(items)) => this.ready = items.into_iter(),
            }
        }
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

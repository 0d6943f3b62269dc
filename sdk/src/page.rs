//! Lists that come in pages.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use crate::client::Client;
use crate::error::Error;
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

    /// Number of this page, from 1.
    fn number(&self) -> u32;

    /// Whether no page follows.
    fn is_last(&self) -> bool;
}

/// An operation that answers with one page of a list.
pub trait PagedOperation: Operation<Output: Page> + Clone + 'static {
    /// The page that the request asks for; none for the first.
    fn page_number(&self) -> Option<u32>;

    /// The same request for another page.
    fn at_page(&self, page: u32) -> Self;
}

/// What a list is made of.
type ItemOf<O> = <<O as Operation>::Output as Page>::Item;

/// The pages of a list, fetched one by one.
///
/// A page that fails loses nothing: what came before has been handed out, and the next call to
/// [`next`](Pages::next) asks for the same page again. To go on in another process, start a request at
/// [`position`](Pages::position).
pub struct Pages<O: PagedOperation> {
    client: Client,
    list: O,
    next: Option<u32>,
    /// First item of the page before: a service that sends the same page for ever must not be followed.
    seen: Option<ItemOf<O>>,
    left: usize,
}

impl<O: PagedOperation> Pages<O> {
    pub(crate) fn new(client: Client, list: O) -> Self {
        let first = list.page_number().unwrap_or(1);
        Self {
            client,
            list,
            next: Some(first),
            seen: None,
            left: usize::MAX,
        }
    }

    /// Stops after this many items; the page that reaches the number is the last that is fetched.
    #[must_use]
    pub fn max_items(mut self, items: usize) -> Self {
        self.left = items;
        self
    }

    /// Number of the page that comes next; none at the end.
    pub fn position(&self) -> Option<u32> {
        self.next.filter(|_| self.left > 0)
    }

    /// The next page; none after the last one, and none where the service repeats a page or answers with another one
    /// than was asked for: following it would never end.
    ///
    /// With [`max_items`](Pages::max_items) the last page may hold more than is left.
    pub async fn next(&mut self) -> Option<Result<Response<O::Output>, Error>> {
        let number = self.position()?;
        let response = match self.client.send(self.list.at_page(number)).await {
            Ok(response) => response,
            Err(error) => return Some(Err(error)),
        };
        let page = &response.data;
        let first = page.items().first();
        if page.number() != number || (first.is_some() && first == self.seen.as_ref()) {
            self.next = None;
            return None;
        }
        self.seen = first.cloned();
        self.left = self.left.saturating_sub(page.items().len());
        self.next = match page.is_last() || page.items().is_empty() {
            true => None,
            false => number.checked_add(1),
        };
        Some(Ok(response))
    }

    /// Adds the remaining items to a list; after an error it holds all that came before, and a further call goes on.
    ///
    /// # Errors
    /// That of the page that failed.
    pub async fn collect_into(&mut self, items: &mut Vec<ItemOf<O>>) -> Result<(), Error> {
        loop {
            let room = self.left;
            match self.next().await {
                None => return Ok(()),
                Some(page) => items.extend(page?.data.into_items().into_iter().take(room)),
            }
        }
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
/// An error stands in the place of the page that failed; asking on tries that page again.
pub struct Items<O: PagedOperation> {
    ready: std::vec::IntoIter<ItemOf<O>>,
    /// Not started before it is first polled, so a page is fetched only when its items are wanted.
    fetching: BoxFuture<'static, Fetched<O>>,
}

/// The pages again, and the items of the page that was fetched; none at the end.
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

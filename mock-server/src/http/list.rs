//! Lists: which page is asked for, and the envelopes of a page (A13, A18).

use secmon_engine::{Page, Paged};
use serde::Serialize;

use super::context::{Context, PartnerRequest};
use super::reply::{Meta, Reply};
use crate::configuration::settings::AnswerStyle;
use crate::observation::notice::Fact;
use crate::values::fields::{Fields, readers};
use crate::values::query;

/// The largest `per_page` where nothing else is documented.
pub(crate) const LARGEST_PAGE: i64 = 100;

/// `per_page` when it is not sent.
const DEFAULT_PER_PAGE: u64 = 25;
const UNKIND_PER_PAGE: u64 = 2;

/// Reads `page` and `per_page`.
pub(crate) fn page(fields: &mut Fields<'_>, largest: i64, answer_style: AnswerStyle) -> Page {
    let default = match answer_style {
        AnswerStyle::Plain => DEFAULT_PER_PAGE,
        AnswerStyle::Unkind => UNKIND_PER_PAGE,
    };
    let size = fields.optional("per_page", readers::integer(1..=largest));
    let number = fields.optional("page", readers::identifier);
    Page::new(number.unwrap_or(1), size.map_or(default, i64::unsigned_abs))
}

#[derive(Serialize)]
struct Links {
    first: String,
    last: String,
    prev: Option<String>,
    next: Option<String>,
}

impl Links {
    fn new<T>(request: &PartnerRequest<'_>, paged: &Paged<T>) -> Self {
        let origin = request.origin();
        let link = |page| {
            let query = query::with_page(request.head.uri.query(), page);
            format!("{origin}{}?{query}", request.path())
        };
        let current = paged.page.number.get();
        Self {
            first: link(1),
            last: link(paged.last_page()),
            prev: (current > 1).then(|| link(current - 1)),
            next: paged.has_more().then(|| link(current + 1)),
        }
    }
}

#[derive(Serialize)]
struct ListMeta<M> {
    current_page: u64,
    per_page: u64,
    total: u64,
    #[serde(flatten)]
    more: M,
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Serialize)]
struct List<'a, T, M> {
    data: &'a [T],
    links: Links,
    meta: ListMeta<M>,
}

/// The resource envelope of a list; `more` stands in its `meta` besides the numbers of the page.
pub(crate) fn resource<T: Serialize>(
    context: &mut Context<'_>,
    paged: &Paged<T>,
    more: impl Serialize,
) -> Reply {
    note_page(context, paged);
    let meta = ListMeta {
        current_page: paged.page.number.get(),
        per_page: paged.page.size.get(),
        total: paged.total,
        more,
        meta: Meta::at(context.now()),
    };
    Reply::json(
        http::StatusCode::OK,
        &List {
            data: &paged.items,
            links: Links::new(context.request, paged),
            meta,
        },
    )
}

/// The numbers of a page inside the data of a success envelope.
#[derive(Serialize)]
pub(crate) struct PageNumbers {
    total: u64,
    current_page: u64,
    last_page: u64,
    has_more: bool,
}

impl PageNumbers {
    pub(crate) fn of<T>(context: &mut Context<'_>, paged: &Paged<T>) -> Self {
        note_page(context, paged);
        Self {
            total: paged.total,
            current_page: paged.page.number.get(),
            last_page: paged.last_page(),
            has_more: paged.has_more(),
        }
    }
}

fn note_page<T>(context: &mut Context<'_>, paged: &Paged<T>) {
    context.note(Fact::Page {
        number: paged.page.number.get(),
        last: paged.last_page(),
    });
}

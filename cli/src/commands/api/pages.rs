//! All pages of a list of any path.

use crate::error::CliError;
use crate::session::Session;
use secmon::{RawRequest, RawResponse};
use serde_json::Value;

/// What reading page after page came to.
pub enum Pages {
    /// The items of all of them.
    All(Vec<Value>),
    /// An answer that is no page: a record, an error, something else.
    Other(RawResponse),
}

/// One page of a list.
struct ListPage {
    items: Vec<Value>,
    number: u64,
    has_more: bool,
}

/// Reads on until a page says that it is the last.
pub async fn read(session: &Session, request: RawRequest) -> Result<Pages, CliError> {
    let mut items: Vec<Value> = Vec::new();
    let mut next = request.clone();
    loop {
        let answer = session.client()?.raw(next).await?;
        let Some(page) = page(&answer) else {
            return Ok(Pages::Other(answer));
        };
        let empty = page.items.is_empty();
        items.extend(page.items);
        if !page.has_more || empty {
            return Ok(Pages::All(items));
        }
        next = request.clone();
        // Of a repeated parameter the last one counts.
        next.query
            .push(("page".to_owned(), (page.number + 1).to_string()));
    }
}

fn page(answer: &RawResponse) -> Option<ListPage> {
    if !answer.status.is_success() {
        return None;
    }
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    match &body["data"] {
        Value::Array(items) => {
            let number = body["meta"]["current_page"].as_u64()?;
            let size = body["meta"]["per_page"].as_u64()?;
            let counted = body["meta"]["total"]
                .as_u64()
                .is_some_and(|total| number * size < total);
            let linked = !body["links"]["next"].is_null();
            Some(ListPage {
                items: items.clone(),
                number,
                has_more: linked || counted,
            })
        }
        data => {
            let items = data.as_object()?.values().find_map(Value::as_array)?;
            let number = data["current_page"].as_u64().or(data["page"].as_u64())?;
            let counted = data["page_size"]
                .as_u64()
                .zip(data["total"].as_u64())
                .is_some_and(|(size, total)| number * size < total);
            Some(ListPage {
                items: items.clone(),
                number,
                has_more: data["has_more"].as_bool().unwrap_or(counted),
            })
        }
    }
}

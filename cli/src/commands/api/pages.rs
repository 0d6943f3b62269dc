//! All pages of a list of any path.

use crate::error::CliError;
use crate::session::Session;
use secmon::{RawRequest, RawResponse};
use serde_json::Value;

/// What was answered where a page was asked for.
pub enum Answer {
    /// The items of a page.
    Page(Vec<Value>),
    /// No page: a record, an error, something else.
    Other(RawResponse),
}

/// Reads page after page until one says that it is the last.
pub struct Pages {
    request: RawRequest,
    /// The page that comes next.
    next: Option<RawRequest>,
}

impl Pages {
    /// The pages of a list, from the one that the request names.
    pub fn of(request: RawRequest) -> Self {
        let next = Some(request.clone());
        Self { request, next }
    }

    /// The next answer; `None` after the last.
    pub async fn next(&mut self, session: &Session) -> Result<Option<Answer>, CliError> {
        let Some(request) = self.next.take() else {
            return Ok(None);
        };
        let answer = session.client()?.raw(request).await?;
        let Some(page) = page(&answer) else {
            return Ok(Some(Answer::Other(answer)));
        };
        if page.has_more && !page.items.is_empty() {
            let mut next = self.request.clone();
            // Of a repeated parameter the last one counts.
            let number = (page.number + 1).to_string();
            next.query.push(("page".to_owned(), number));
            self.next = Some(next);
        }
        Ok(Some(Answer::Page(page.items)))
    }
}

/// One page of a list.
struct ListPage {
    items: Vec<Value>,
    number: u64,
    has_more: bool,
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

//! A call of the admin API as controls meet it, and what they answer.

use std::pin::Pin;
use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use serde_json::{Map, Value};

use crate::connection::arrival::Scheme;
use crate::http::head;
use crate::http::reply::Reply;
use crate::mock::Mock;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;

/// A response that is waited for.
pub(crate) type Responding = Pin<Box<dyn Future<Output = Result<Response, AdminError>> + Send>>;

/// A call of the admin API, read.
pub(crate) struct AdminCall {
    pub(crate) mock: Arc<Mock>,
    /// The variable parts of the path, in its order.
    pub(crate) parts: Vec<String>,
    pub(crate) query: std::collections::BTreeMap<String, String>,
    pub(crate) body: Map<String, Value>,
    /// The host and port that were called.
    pub(crate) host: String,
    /// The last event that a listener has heard.
    pub(crate) last_event: Option<String>,
    pub(crate) scheme: Scheme,
}

impl AdminCall {
    /// A variable part of the path; every path that is asked for one has it.
    pub(crate) fn part(&self, place: usize) -> &str {
        self.parts.get(place).map_or("", String::as_str)
    }

    /// The host and port of the partner API. What was called may be an address of the admin API alone.
    pub(crate) fn partner_host(&self) -> String {
        match self.mock.accounts.settings.admin_listen {
            None => self.host.clone(),
            Some(_) => format!(
                "{}:{}",
                head::without_port(&self.host),
                self.mock.public_port
            ),
        }
    }
}

/// What a control answers, and what must be durable first.
pub(crate) struct Answered {
    pub(crate) reply: Reply,
    pub(crate) commit: Commit,
}

impl Answered {
    /// An answer that changed nothing.
    pub(crate) fn shown(body: &impl serde::Serialize) -> Self {
        Self {
            reply: Reply::json(StatusCode::OK, body),
            commit: Commit::done(),
        }
    }

    /// 204 once it is durable.
    pub(crate) fn done(commit: Commit) -> Self {
        Self {
            reply: Reply::no_content(),
            commit,
        }
    }

    /// 201 once it is durable.
    pub(crate) fn made(body: &impl serde::Serialize, commit: Commit) -> Self {
        Self {
            reply: Reply::json(StatusCode::CREATED, body),
            commit,
        }
    }
}

/// Does what takes longer than others should wait, such as a whole state, or a year of time.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AdminError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| {
        let sentence = "The mock failed in this call: please report it.".to_owned();
        AdminError::NotSaved(sentence)
    })
}

//! What a call did becomes durable before anybody is told of it.

use http::StatusCode;

use super::in_flight::InFlight;
use crate::configuration::settings::AnswerStyle;
use crate::http::context::PartnerRequest;
use crate::http::problem::coded;
use crate::http::reply::Reply;
use crate::http::unkind;

impl InFlight<'_> {
    /// The answer, once what it says is durable.
    pub(super) async fn durable_answer(&self, request: &PartnerRequest<'_>) -> Reply {
        let (reply, commit) = self.route(request);
        match commit.await {
            Ok(()) if self.mock.accounts.settings.answer_style == AnswerStyle::Unkind => {
                tokio::time::sleep(unkind::SLOWNESS).await;
                unkind::extended(reply, self.lot())
            }
            Ok(()) => reply,
            Err(error) => {
                let message = error.to_string();
                coded(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "STATE_NOT_SAVED",
                    &message,
                    self.now(),
                )
            }
        }
    }

    /// What decides how an unkind answer is put.
    fn lot(&self) -> unkind::Lot {
        let account = self.shared.as_ref().map_or("", |shared| shared.name());
        unkind::Lot::new(self.mock.accounts.seed(), account, self.now())
    }
}

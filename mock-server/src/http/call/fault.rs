//! The fault that acts on a call: before it is routed, or around all that follows.

use super::in_flight::InFlight;
use super::outcome::CallOutcome;
use crate::connection::close_mode::CloseMode;
use crate::faults::aim::{Incoming, RequestParams};
use crate::faults::effect::{CloseAt, Effect};
use crate::http::context::PartnerRequest;
use crate::http::fault_responses;

impl InFlight<'_> {
    /// Lets the first fault that matches act; without one, the call is simply answered.
    pub(super) async fn under_faults(&mut self, request: &PartnerRequest<'_>) -> CallOutcome {
        match self.matching_fault(request) {
            None => CallOutcome::Answer(self.durable_answer(request).await),
            Some((fault, effect)) => {
                self.fault = Some(fault);
                self.apply(effect, request).await
            }
        }
    }

    /// The fault that acts on this call.
    fn matching_fault(&self, request: &PartnerRequest<'_>) -> Option<(u64, Effect)> {
        let shared = self.key.and(self.shared.as_ref());
        let parameter = |name: &str| request.parameter(name);
        let incoming = Incoming {
            tenant: shared.map(|shared| shared.name()),
            operation: self.operation().map(|operation| operation.name),
            method: self.method.as_str(),
            path: request.path(),
            params: RequestParams {
                parameter: &parameter,
                body: &|| request.object().ok(),
            },
        };
        self.mock
            .accounts
            .faults()
            .matching_fault(&incoming, self.mock.accounts.seed())
    }

    /// Answers, with what a fault adds or takes away.
    async fn apply(&mut self, effect: Effect, request: &PartnerRequest<'_>) -> CallOutcome {
        match effect {
            Effect::Latency(wait) => {
                tokio::time::sleep(wait).await;
                self.waited();
                CallOutcome::Answer(self.durable_answer(request).await)
            }
            Effect::Status {
                status,
                code,
                retry_after,
            } => {
                let shape = self.error_shape();
                let reply = fault_responses::status(status, code.as_deref(), shape, self.now());
                CallOutcome::Answer(match retry_after {
                    Some(text) => reply.retry_after_text(text),
                    None => reply,
                })
            }
            Effect::Body { status, body } => {
                CallOutcome::Answer(fault_responses::raw(status, body))
            }
            Effect::Close(CloseAt::Before) => CallOutcome::UNPROCESSED,
            Effect::Close(CloseAt::Reset) => CallOutcome::Nothing {
                how: CloseMode::Reset,
                processed: false,
            },
            Effect::Close(CloseAt::After) => {
                self.durable_answer(request).await;
                CallOutcome::Nothing {
                    how: CloseMode::Close,
                    processed: true,
                }
            }
            Effect::Close(CloseAt::MidBody) => {
                CallOutcome::half(self.durable_answer(request).await)
            }
            // It acts on handshakes, before there is a call.
            Effect::Tls(_) => CallOutcome::Answer(self.durable_answer(request).await),
        }
    }
}

//! The route of a call: the operation that answers it, or that there is none.

use http::StatusCode;

use super::in_flight::InFlight;
use crate::http::context::PartnerRequest;
use crate::http::problem::coded;
use crate::http::reply::{self, Reply};
use crate::http::routes::{self, Route};
use crate::http::sso_page;
use crate::observation::notice::Fact;
use crate::store::commit::Commit;

impl InFlight<'_> {
    /// Answers by what the call's path and method lead to; the commit tells when the answer may go out.
    pub(super) fn route(&self, request: &PartnerRequest<'_>) -> (Reply, Commit) {
        let Some(operation) = self.operation() else {
            return (self.unroutable(), self.settled());
        };
        match routes::route(operation.id) {
            Route::Open => (
                reply::health(self.now()),
                self.mock.accounts.store.checked(),
            ),
            Route::Keyed(answer) => self.run_operation(operation.group, answer, request),
            Route::SignIn => self.signed_in(request),
        }
    }

    fn signed_in(&self, request: &PartnerRequest<'_>) -> (Reply, Commit) {
        let (reply, commit) = sso_page::sign_in(&self.mock.accounts, request);
        if self.shared.is_some() {
            self.keep(vec![match reply.status.is_success() {
                true => Fact::SignedIn,
                false => Fact::StaleToken,
            }]);
        }
        (reply, commit)
    }

    /// No such path, or no such method on it (A6).
    fn unroutable(&self) -> Reply {
        if self.operations.is_empty() {
            return coded(
                StatusCode::NOT_FOUND,
                "NOT_FOUND",
                "There is no such path.",
                self.now(),
            );
        }
        let methods: Vec<&str> = self
            .operations
            .iter()
            .map(|operation| operation.method.as_str())
            .collect();
        let methods = methods.join(", ");
        let message = format!("This path has {methods} only.");
        coded(
            StatusCode::METHOD_NOT_ALLOWED,
            "METHOD_NOT_ALLOWED",
            &message,
            self.now(),
        )
        .allow(methods)
    }
}

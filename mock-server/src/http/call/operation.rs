//! An operation acts on the account of the call's key.

use http::Method;
use secmon_engine::Call;

use super::access::{KeyOwner, take_window_slot};
use super::in_flight::InFlight;
use crate::http::context::{Context, PartnerRequest};
use crate::http::reply::Reply;
use crate::http::routes::Answer;
use crate::operations::group::Group;
use crate::store::commit::Commit;

impl InFlight<'_> {
    /// Runs an operation for the account of the call's key.
    pub(super) fn run_operation(
        &self,
        group: Group,
        answer: Answer,
        request: &PartnerRequest<'_>,
    ) -> (Reply, Commit) {
        // The accounts cannot change while one of them answers: a reset waits for it.
        let registry = self.mock.accounts.registry();
        let KeyOwner { shared, key } = match self.find_key_owner(&registry) {
            Ok(owner) => owner,
            Err(refused) => return (refused, self.settled()),
        };
        let mut account = shared.lock();
        self.number();
        let now = shared.time(self.server_now);
        let admitted = self.check_access(shared, group, now);
        let admitted = admitted.and_then(|()| take_window_slot(&mut account, group, key, now));
        if let Err(refused) = admitted {
            return (refused, self.settled());
        }
        let mut context = Context {
            account: &mut account,
            call: Call {
                now,
                key,
                sandbox: self.sandbox,
            },
            request,
            answer_style: self.mock.accounts.settings.answer_style,
            facts: Vec::new(),
        };
        let reply =
            answer(&mut context).unwrap_or_else(|problem| problem.reply(group.error_shape(), now));
        self.keep(context.facts);
        // What fell due meanwhile is no doing of a call that only reads, or is refused.
        if self.method != Method::GET && reply.status.is_success() {
            self.keep_changed(account.changed_records());
        }
        if let Some(mut watch) = shared.watch() {
            let line = format!("{} {}", self.method, request.path());
            watch.look(self.number(), &line, &mut account);
        }
        let call = Some(self.number());
        let commit = self
            .mock
            .accounts
            .save_by(call, shared.name(), &mut account);
        (reply, commit)
    }
}

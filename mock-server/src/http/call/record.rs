//! What stays of a call once it is answered: its entry in the journal, its notices, an event, evidence.

use bytes::Bytes;
use http::header::USER_AGENT;
use secmon_engine::Switch;

use super::in_flight::InFlight;
use super::outcome::CallOutcome;
use crate::http::context::PartnerRequest;
use crate::http::reply::Reply;
use crate::observation::journal::entry::Entry;
use crate::observation::journal::entry::{kept, kept_answer};
use crate::observation::journal::headers::Headers;
use crate::observation::notice::Notice;
use crate::observation::notices::call_context::{CallContext, Clock, Pause};
use crate::observation::notices::of_call::of_call;
use crate::operations::catalogue::SIGN_IN_PATH;

impl InFlight<'_> {
    /// Records a call of the partner API.
    pub(super) fn record(&self, request: &PartnerRequest<'_>, outcome: &CallOutcome) {
        if !request.path().starts_with("/api/") && request.path() != SIGN_IN_PATH {
            if let Some(mut evidence) = self.mock.evidence() {
                evidence.see_elsewhere(&format!("{} {}", self.method, request.path()));
            }
            return;
        }
        let call = self.context(request, outcome);
        let mut entry = self.entry(request, outcome);
        entry.notices = self.notices(&call);
        entry.is_by_staff = call.is_by_staff();
        let (tenant, entry) = match &self.shared {
            Some(shared) => {
                if let Some(mut watch) = shared.watch() {
                    watch.hear(&entry);
                }
                (Some(shared.name()), shared.journal().record(entry))
            }
            None => (None, self.mock.accounts.unattributed().record(entry)),
        };
        if let Some(mut evidence) = self.mock.evidence() {
            evidence.see(&call, &entry);
        }
        if let Some(mut events) = self.mock.accounts.events() {
            events.call(tenant, &entry);
        }
        self.mock
            .accounts
            .tell_of_call(self.shared.as_deref(), &entry);
    }

    fn entry(&self, request: &PartnerRequest<'_>, outcome: &CallOutcome) -> Entry {
        let reply = outcome.reply();
        Entry {
            id: self.number(),
            at: self.arrived,
            method: self.method.clone(),
            path: request.path().into(),
            query: request.head.uri.query().map(Into::into),
            headers: Headers::of(&request.head.headers),
            body: kept(request.sent.bytes()),
            status: reply.map(|reply| reply.status),
            response_headers: reply
                .map_or_else(Headers::default, |reply| Headers::of(&reply.headers())),
            response: reply.map_or_else(Bytes::new, |reply| kept_answer(&reply.body)),
            processed: match *outcome {
                CallOutcome::Nothing { processed, .. } => Some(processed),
                CallOutcome::Answer(_) | CallOutcome::Half(_) => None,
            },
            fault: self.fault,
            sandbox: self.sandbox,
            secrets: self.secrets(reply),
            changed: self.changed.get().map_or(&[][..], Vec::as_slice).into(),
            notices: Vec::new(),
            is_by_staff: false,
            duration_us: u64::try_from(self.stopwatch.elapsed().as_micros()).unwrap_or(u64::MAX),
        }
    }

    /// What a careful client would have done otherwise.
    fn notices(&self, call: &CallContext<'_>) -> Vec<Notice> {
        let mut notices = of_call(call);
        if let Some(shared) = &self.shared {
            notices.extend(shared.history().see(call));
        }
        notices.extend(self.mock.accounts.rejected_key.see(call));
        if call.is_by_staff() {
            notices.retain(Notice::concerns_staff);
        }
        notices
    }

    fn context<'a>(
        &'a self,
        request: &'a PartnerRequest<'_>,
        outcome: &'a CallOutcome,
    ) -> CallContext<'a> {
        // Who gets half of an answer has none.
        let reply = match outcome {
            CallOutcome::Answer(reply) => Some(reply),
            CallOutcome::Half(_) | CallOutcome::Nothing { .. } => None,
        };
        let operation = self.operation();
        let agent = request.head.headers.get(USER_AGENT);
        CallContext {
            id: self.number(),
            account: self.shared.as_ref().map(|shared| shared.name()),
            operation: operation.map_or("", |operation| operation.name),
            known: operation.and_then(|operation| operation.known),
            method: self.method,
            path: request.path(),
            query: &request.query,
            body: request.object().ok(),
            sent: request.sent.bytes(),
            key: self.key.unwrap_or_default(),
            user_agent: agent.and_then(|agent| agent.to_str().ok()).unwrap_or(""),
            sandbox: self.sandbox,
            sandbox_mode: self
                .shared
                .as_ref()
                .map_or(Switch::Off, |shared| shared.settings().sandbox),
            certificate: request.arrived_on.certificate,
            window: operation.and_then(|operation| operation.group.window()),
            at: self.arrived,
            came: self.stopwatch,
            clock: match self.mock.accounts.settings.time.stands() {
                true => Clock::Stands,
                false => Clock::Runs,
            },
            status: reply.map(|reply| reply.status),
            answer: reply.map_or(&[], |reply| &reply.body),
            pause: reply.and_then(|reply| self.pause(reply)),
            facts: self.facts.get().map_or(&[], Vec::as_slice),
        }
    }

    fn pause(&self, reply: &Reply) -> Option<Pause> {
        let wait = reply.pause()?;
        Some(Pause {
            until: self.now().plus(wait),
            wait,
            window: reply.full,
        })
    }

    /// What only this call shows to be a secret: a key that nobody knows, a token.
    fn secrets(&self, reply: Option<&Reply>) -> Vec<String> {
        let unknown = self.key.filter(|_| self.shared.is_none());
        let token = reply.and_then(|reply| reply.secret.clone());
        unknown
            .map(str::to_owned)
            .into_iter()
            .chain(token)
            .collect()
    }
}

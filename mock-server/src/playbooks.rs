//! Playbooks: an account prepared with some trouble, a goal, and a verdict on how a client in any
//! language dealt with it, judged from its calls and the state it left (M8).

mod book;
mod evidence;

use secmon_engine::{Account, Call, Refusal};
use serde::Serialize;

use crate::AdminError;
use crate::faults::Fault;
use crate::mock::{Mock, NewTenant, TenantOptions};
use crate::store::Ticket;
use evidence::Evidence;

/// A playbook as it is written.
pub(crate) struct Playbook {
    pub(crate) name: &'static str,
    /// What the client shall do.
    pub(crate) goal: &'static str,
    /// Prepares the account.
    prepare: fn(&mut Preparation<'_>) -> Result<(), Refusal>,
    /// What must have happened in the end.
    goals: &'static [Check],
    /// What must never happen.
    forbidden: &'static [Check],
}

/// Something to be looked for in the evidence, and what is said about it.
struct Check {
    sentence: &'static str,
    holds: fn(&mut Evidence<'_>) -> bool,
}

/// An account that is being prepared.
pub(crate) struct Preparation<'a> {
    account: &'a mut Account,
    call: Call,
    faults: Vec<Fault>,
}

/// A playbook that somebody is working on.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) id: u64,
    pub(crate) playbook: &'static Playbook,
    pub(crate) tenant: String,
}

/// How far somebody got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Passed,
    Failed,
    Running,
}

/// Whether the client is still at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    AtWork,
    Finished,
}

/// A verdict and its reasons.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<&'static str>,
}

/// Every playbook there is.
pub(crate) fn all() -> &'static [Playbook] {
    book::PLAYBOOKS
}

impl Mock {
    /// Prepares an account of its own for a playbook.
    pub(crate) fn start_playbook(
        &self,
        name: &str,
    ) -> Result<(Run, NewTenant, Ticket), AdminError> {
        let playbook = all()
            .iter()
            .find(|playbook| playbook.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = all().iter().map(|playbook| playbook.name).collect();
                AdminError::Unknown(format!(
                    "There is no playbook `{name}`; there are {}.",
                    names.join(", ")
                ))
            })?;
        let (made, _) = self.add_tenant(TenantOptions {
            default_endpoint_limit: Some(1000),
            ..TenantOptions::default()
        })?;
        let mut account = made.partner.account();
        let key = account.keys().next().map(|(id, _)| id).unwrap_or_default();
        let now = made.partner.time(self.now());
        let call = Call {
            now,
            key,
            sandbox: secmon_engine::SandboxHeader::Absent,
        };
        let mut preparation = Preparation {
            account: &mut account,
            call,
            faults: Vec::new(),
        };
        (playbook.prepare)(&mut preparation)
            .map_err(|refusal| AdminError::Conflict(refusal.to_string()))?;
        let tenant = made.partner.name().to_owned();
        for fault in preparation.faults {
            self.faults().place(Fault {
                tenant: Some(tenant.clone()),
                ..fault
            });
        }
        let ticket = self.save(&tenant, &mut account);
        drop(account);
        let mut runs = self.playbooks();
        let id = runs.last().map_or(1, |run| run.id + 1);
        let run = Run {
            id,
            playbook,
            tenant,
        };
        runs.push(run.clone());
        Ok((run, made, ticket))
    }

    /// How a playbook stands.
    pub(crate) fn judge(&self, run: &Run, client: Client) -> Result<Judgement, AdminError> {
        let partner = self.partner(&run.tenant)?;
        let mut evidence = Evidence::new(&partner, partner.time(self.now()));
        let broken = said(run.playbook.forbidden, |check| (check.holds)(&mut evidence));
        let unmet = said(run.playbook.goals, |check| !(check.holds)(&mut evidence));
        let (verdict, findings) = match (broken.is_empty(), unmet.is_empty(), client) {
            (false, _, Client::AtWork) => (Verdict::Failed, broken),
            (true, true, _) => (Verdict::Passed, Vec::new()),
            (true, false, Client::AtWork) => (Verdict::Running, Vec::new()),
            (_, _, Client::Finished) => (Verdict::Failed, [broken, unmet].concat()),
        };
        Ok(Judgement { verdict, findings })
    }
}

/// The sentences of the checks that are picked.
fn said(checks: &[Check], mut picked: impl FnMut(&Check) -> bool) -> Vec<&'static str> {
    let picked = checks.iter().filter(|check| picked(check));
    picked.map(|check| check.sentence).collect()
}

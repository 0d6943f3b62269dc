//! Preparing an account for a playbook, and judging what a client made of it.

use std::sync::{Arc, Mutex};

use secmon_engine::{Account, Call, Instant, LeakDataset, SandboxHeader};
use serde_json::{Map, Value};

use super::book::{Playbook, Step, all, names};
use super::findings;
use super::run::Run;
use super::watch::{Client, Judgement, Watch};
use crate::account::lifecycle::NewAccount;
use crate::account::options::TenantOptions;
use crate::http::local_call::call_operation;
use crate::mock::Mock;
use crate::observation::journal::redaction::Redaction;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::lock::lock;

impl Mock {
    /// How a run stands. Findings quote paths, and a client may have put its key into one.
    pub(crate) fn judge(&self, run: &Run, client: Client) -> Judgement {
        let mut judgement = lock(&run.watch).judge(client);
        let secrets = self.accounts.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        for finding in &mut judgement.findings {
            redaction.apply(finding);
        }
        judgement
    }

    /// Prepares an account of its own for a playbook.
    pub(crate) fn start_playbook(
        &self,
        name: &str,
    ) -> Result<(Run, NewAccount, Commit), AdminError> {
        let playbook = all().iter().find(|playbook| playbook.name == name);
        let playbook = playbook.ok_or_else(|| {
            let names = names().join(", ");
            AdminError::Unknown(format!("There is no playbook `{name}`; there are {names}."))
        })?;
        if self.accounts.settings.time.stands() {
            let sentence = "Clients wait in real time, and this server's clock stands: start one without --clock manual.";
            return Err(AdminError::Conflict(sentence.to_owned()));
        }
        let (made, _) = self.accounts.add_account(TenantOptions {
            default_endpoint_limit: Some(1000),
            ..TenantOptions::default()
        })?;
        let tenant = made.shared.name().to_owned();
        let mut account = made.shared.lock();
        prepare(
            playbook,
            &mut account,
            made.shared.time(self.accounts.now()),
        )?;
        for fault in &playbook.faults {
            let mut fault = fault.clone();
            fault.tenant = Some(tenant.clone());
            self.accounts.faults().place(fault);
        }
        let call = made.shared.time(self.accounts.now()).into();
        let clients = playbook.read_findings_of();
        let findings = clients.flat_map(|client| findings::of(&mut account, call, client));
        let findings = findings.collect();
        let watch = Watch::new(playbook, &mut account, findings);
        let watch = Arc::new(Mutex::new(watch));
        made.shared.watched_by(Arc::clone(&watch));
        let commit = self.accounts.save(&tenant, &mut account);
        drop(account);
        let mut runs = self.playbooks();
        let id = runs.last().map_or(1, |run| run.id + 1);
        let run = Run {
            id,
            playbook,
            tenant,
            watch,
        };
        runs.push(run.clone());
        Ok((run, made, commit))
    }
}

fn prepare(playbook: &Playbook, account: &mut Account, now: Instant) -> Result<(), AdminError> {
    // What was done so long ago leaves this much of the cooldown.
    let ago = playbook.cooldown_left.map_or(0, |left| {
        let cooldown = account.settings().timings.scan_cooldown;
        cooldown.saturating_sub(left)
    });
    let key = account.keys().next().map(|(id, _)| id);
    let call = Call {
        now: Instant::from_unix_millis(now.unix_millis() - i64::from(ago) * 1000),
        key: key.unwrap_or_default(),
        sandbox: SandboxHeader::Absent,
    };
    let mut made = Made::default();
    for step in &playbook.prepare {
        for number in 1..=step.times {
            let body = filled(step, number, &made);
            let (method, path) = step.call.split_once(' ').unwrap_or_default();
            let answer = call_operation(account, call, method, path, &Value::Object(body));
            let answer = answer.map_err(|refused| {
                AdminError::Conflict(format!(
                    "The account cannot be prepared: {} is refused: {refused:?}.",
                    step.call
                ))
            })?;
            made.take_in(&answer["data"]);
        }
    }
    if let Some(scanned) = &playbook.scanned {
        findings::scan(account, now, scanned)?;
    }
    if let Some(state) = playbook
        .leak_dataset
        .as_deref()
        .and_then(LeakDataset::from_name)
    {
        account.at(now).set_leak_dataset(state);
    }
    Ok(())
}

/// The ids of the last server and the last domain that were made.
#[derive(Debug, Default)]
struct Made {
    endpoint: String,
    domain: String,
}

impl Made {
    fn take_in(&mut self, data: &Value) {
        for (name, id) in [
            ("endpoint_id", &mut self.endpoint),
            ("monitored_domain_id", &mut self.domain),
        ] {
            if let Some(new) = data[name].as_str() {
                new.clone_into(id);
            }
        }
    }
}

/// The body of a step with what stands for something else in its texts.
fn filled(step: &Step, number: usize, made: &Made) -> Map<String, Value> {
    let fill = |value: &Value| match value {
        Value::String(text) => {
            let text = text.replace("{n}", &number.to_string());
            let text = text.replace("{endpoint_id}", &made.endpoint);
            Value::String(text.replace("{domain_id}", &made.domain))
        }
        value => value.clone(),
    };
    let members = step.body.iter();
    members
        .map(|(name, value)| (name.clone(), fill(value)))
        .collect()
}

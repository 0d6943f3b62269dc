//! What scans find, when they run, and who can sign in (E2, M6).

use secmon_engine::{
    Account, ClientId, DomainFindings, Instant, LeakDataset, OpenPort, Progress, Refusal,
    ScanOutcome, Scenario,
};
use uuid::Uuid;

use super::accounts::Accounts;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;

/// A record, by its id.
#[derive(Clone, Copy)]
pub(crate) struct RecordRef<'a> {
    /// Copies of an account have the same ids (M11); without a name, the oldest account that has the record is meant.
    pub(crate) tenant: Option<&'a str>,
    pub(crate) id: Uuid,
}

impl Accounts {
    /// Sets what the next scan of a server finds (E2).
    pub(crate) fn set_ports(
        &self,
        record: RecordRef<'_>,
        open: &[OpenPort],
    ) -> Result<Commit, AdminError> {
        self.on_record(record, |account, now| {
            account.at(now).set_ports(record.id, open.to_vec())
        })
    }

    /// Runs one scan of a server to its end, outside cooldown and schedule (M6).
    pub(crate) fn scan_endpoint_now(
        &self,
        record: RecordRef<'_>,
        outcome: ScanOutcome,
    ) -> Result<Commit, AdminError> {
        self.on_record(record, |account, now| {
            account.at(now).scan_endpoint_now(record.id, outcome)
        })
    }

    /// Sets what the next scan of a domain finds (E2).
    pub(crate) fn set_findings(
        &self,
        record: RecordRef<'_>,
        findings: DomainFindings,
    ) -> Result<Commit, AdminError> {
        self.on_record(record, |account, now| {
            account.at(now).set_findings(record.id, findings)
        })
    }

    /// Runs one scan of a domain to its end, outside the schedule (M6).
    pub(crate) fn scan_domain_now(
        &self,
        record: RecordRef<'_>,
        outcome: ScanOutcome,
    ) -> Result<Commit, AdminError> {
        self.on_record(record, |account, now| {
            account.at(now).scan_domain_now(record.id, outcome)
        })
    }

    /// Sets what scans find where nothing else was set (E12).
    pub(crate) fn set_scenario(
        &self,
        name: &str,
        scenario: Scenario,
    ) -> Result<Commit, AdminError> {
        self.on_account(name, |account, now| {
            account.at(now).set_scenario(scenario);
            Ok(())
        })
    }

    /// Sets whether the dataset of leaked credentials answers (C10).
    pub(crate) fn set_leak_dataset(
        &self,
        name: &str,
        state: LeakDataset,
    ) -> Result<Commit, AdminError> {
        self.on_account(name, |account, now| {
            account.at(now).set_leak_dataset(state);
            Ok(())
        })
    }

    /// Sets how the scans of an account come to their end.
    pub(crate) fn set_progress(
        &self,
        name: &str,
        progress: Progress,
    ) -> Result<Commit, AdminError> {
        self.on_account(name, |account, now| {
            account.at(now).set_progress(progress);
            Ok(())
        })
    }

    /// Takes a customer's portal account away: `USER_NOT_FOUND` follows (C11).
    pub(crate) fn remove_portal_account(
        &self,
        name: &str,
        client: ClientId,
    ) -> Result<Commit, AdminError> {
        self.on_account(name, |account, now| {
            account.at(now).remove_portal_account(client)
        })
    }

    fn on_account(
        &self,
        name: &str,
        act: impl FnOnce(&mut Account, Instant) -> Result<(), Refusal>,
    ) -> Result<Commit, AdminError> {
        let shared = self.account(name)?;
        let mut account = shared.lock();
        act(&mut account, shared.time(self.now())).map_err(refused)?;
        Ok(self.save(name, &mut account))
    }

    /// A record's id tells no account: the one that has it acts.
    fn on_record(
        &self,
        record: RecordRef<'_>,
        act: impl Fn(&mut Account, Instant) -> Result<(), Refusal>,
    ) -> Result<Commit, AdminError> {
        let registry = self.registry();
        let named = record.tenant.map(|name| registry.named(name)).transpose()?;
        let accounts = match &named {
            Some(named) => vec![named],
            None => registry.accounts(),
        };
        for shared in accounts {
            let mut account = shared.lock();
            match act(&mut account, shared.time(self.now())) {
                Err(Refusal::EndpointNotFound | Refusal::DomainNotFound) => {}
                done => {
                    done.map_err(refused)?;
                    return Ok(self.save(shared.name(), &mut account));
                }
            }
        }
        Err(AdminError::Unknown(format!(
            "No account has a record {}.",
            record.id
        )))
    }
}

fn refused(refusal: Refusal) -> AdminError {
    match refusal {
        Refusal::EndpointNotActive | Refusal::DomainNotActive => {
            AdminError::Conflict(refusal.to_string())
        }
        Refusal::EndpointNotFound | Refusal::DomainNotFound | Refusal::UserNotFound => {
            AdminError::Unknown(refusal.to_string())
        }
        refusal => AdminError::BadInput(refusal.to_string()),
    }
}

//! What the admin API can do to a running mock. Each control changes memory at once and gives a
//! commit that tells when the change is durable.

use std::sync::Arc;
use std::time::Duration;

use secmon_engine::Instant;
use secmon_engine::{
    Account, AccountSettings, ClientId, DomainFindings, LeakDataset, Limits, OpenPort, Progress,
    RateLimits, Refusal, ScanOutcome, Scenario, Switch,
};
use uuid::Uuid;

use super::records::{
    Removed, ServerRecord, moment_put, partner_put, removals, removed_put, removed_puts,
    unsaved_account, whole_account,
};
use super::registry::base_settings;
use super::{Mock, Registry};
use crate::checks;
use crate::clock::{FURTHEST, Movement};
use crate::fixtures::Fixtures;
use crate::journal::Journal;
use crate::notices::CallHistory;
use crate::partner::{Entry, Expires, Origin, Partner};
use crate::store::{Commit, NotSaved, Put};

/// Why a call of the admin API was refused: each displays as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The call itself is wrong (400).
    #[error("{0}")]
    BadInput(String),
    /// What it names is not there (404).
    #[error("{0}")]
    Unknown(String),
    /// What it names is there, but not in a state for it (409).
    #[error("{0}")]
    Conflict(String),
    /// Done in memory, but not made durable (500).
    #[error("{0}")]
    NotSaved(String),
}

impl From<NotSaved> for AdminError {
    fn from(error: NotSaved) -> Self {
        Self::NotSaved(error.to_string())
    }
}

/// An account to be made (M4). What is not given follows the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TenantOptions {
    /// The account's name; none makes one up.
    pub name: Option<String>,
    /// The portal domain of its keys; by default `portal.<name>.test`.
    pub portal_domain: Option<String>,
    /// Whether sandbox mode is on; by default it is.
    pub sandbox: Option<bool>,
    /// Whether the account is suspended; by default it is not.
    pub suspended: Option<bool>,
    /// Whether its calls are limited; by default as the server's flag says.
    pub rate_limit: Option<bool>,
    /// The sizes of its rate windows; by default the server's.
    pub rate_limits: Option<RateLimits>,
    /// Servers of a customer without a `port_monitoring` service.
    pub default_endpoint_limit: Option<u64>,
    /// Servers of the whole account.
    pub account_endpoint_limit: Option<u64>,
    /// What its scans find at first.
    pub scenario: Option<Scenario>,
    /// The account whose records it starts with a copy of, under the same ids (M11).
    pub like: Option<String>,
    /// What it starts with (M12).
    pub fixtures: Option<Fixtures>,
    /// After how much real time it is removed; by default never.
    pub expires_in: Option<Duration>,
}

/// A record, by its id.
#[derive(Clone, Copy)]
pub(crate) struct RecordRef<'a> {
    /// Copies of an account have the same ids (M11); without a name, the oldest account that has the record is meant.
    pub(crate) tenant: Option<&'a str>,
    pub(crate) id: Uuid,
}

/// What an account is made from, before the options are looked at.
struct Beginning {
    settings: AccountSettings,
    /// The account that it is a copy of.
    original: Option<Arc<Partner>>,
}

impl Beginning {
    fn account(&self, options: &TenantOptions) -> Result<Account, AdminError> {
        let settings = options.clone().settings(self.settings.clone());
        let Some(original) = &self.original else {
            return Ok(Account::new(settings));
        };
        let copied = original.account().copied(settings);
        copied.map_err(|error| AdminError::Conflict(error.to_string()))
    }

    fn clock_offset_ms(&self) -> u64 {
        let original = self.original.as_ref();
        original.map_or(0, |original| original.entry().clock_offset_ms)
    }
}

impl TenantOptions {
    fn check(&self) -> Result<(), AdminError> {
        if let Some(domain) = &self.portal_domain {
            checks::portal_domain(domain)
                .map_err(|reason| AdminError::BadInput(format!("The portal_domain {reason}.")))?;
        }
        if let Some(limits) = &self.rate_limits {
            checks::rate_limits(limits)
                .map_err(|reason| AdminError::BadInput(format!("rate_limits.window {reason}.")))?;
        }
        Ok(())
    }

    /// These settings, with what the options say.
    fn settings(self, base: AccountSettings) -> AccountSettings {
        let switch = |given: Option<bool>, base: Switch| given.map_or(base, Switch::from);
        AccountSettings {
            sandbox: switch(self.sandbox, base.sandbox),
            suspended: switch(self.suspended, base.suspended),
            rate_limit: switch(self.rate_limit, base.rate_limit),
            rate_limits: self.rate_limits.unwrap_or(base.rate_limits),
            limits: Limits {
                default_endpoint_limit: self
                    .default_endpoint_limit
                    .unwrap_or(base.limits.default_endpoint_limit),
                account_endpoint_limit: self
                    .account_endpoint_limit
                    .unwrap_or(base.limits.account_endpoint_limit),
            },
            scenario: self.scenario.unwrap_or(base.scenario),
            portal_domain: self.portal_domain.unwrap_or(base.portal_domain),
            ..base
        }
    }
}

/// An account just made, with its first key.
pub(crate) struct NewTenant {
    pub(crate) partner: Arc<Partner>,
    pub(crate) api_key: String,
}

impl Mock {
    /// Makes an account of its own, so that tests run side by side on one server.
    pub(crate) fn add_tenant(
        &self,
        options: TenantOptions,
    ) -> Result<(NewTenant, Commit), AdminError> {
        options.check()?;
        let beginning = self.beginning(&options)?;
        let mut account = beginning.account(&options)?;
        let api_key = account.issue_key();
        let clock_offset_ms = beginning.clock_offset_ms();
        if let Some(fixtures) = &options.fixtures {
            let now = self.now().plus(Duration::from_millis(clock_offset_ms));
            fixtures.apply(&mut account, now)?;
        }
        let entry = Entry {
            clock_offset_ms,
            expires_at: options.expires_in.map(Expires::after),
            ..Entry::of(Origin::Made)
        };
        let mut registry = self.registry_mut();
        // Somebody may have taken the name meanwhile.
        free_name(&registry, beginning.settings.name)?;
        let partner = registry.add(account, entry);
        if entry.expires_at.is_some() {
            self.expiries.tell();
        }
        let mut changes = vec![self.server_record(&registry).put()];
        // Nothing of a copy was saved under its name.
        changes.extend(whole_account(&partner));
        partner.account().forget_changes();
        let commit = self.store.save(changes);
        Ok((NewTenant { partner, api_key }, commit))
    }

    /// What a new account begins with. It is filled without the lock, since calls of others wait for that.
    fn beginning(&self, options: &TenantOptions) -> Result<Beginning, AdminError> {
        let mut registry = self.registry_mut();
        let named = |like: &String| {
            registry
                .partner(like)
                .cloned()
                .ok_or_else(|| unknown_tenant(like))
        };
        let original = options.like.as_ref().map(named).transpose()?;
        let name = match &options.name {
            Some(name) => free_name(&registry, name.clone())?,
            None => registry.made_up_name(self.seed()),
        };
        let seed = registry.seed_for(&name, self.seed());
        let own = base_settings(&self.settings, &name, seed);
        let settings = match &original {
            Some(original) => AccountSettings {
                name: own.name,
                portal_domain: own.portal_domain,
                seed,
                ..original.settings().clone()
            },
            None => own,
        };
        Ok(Beginning { settings, original })
    }

    /// Removes an account with all its records; its keys are unknown from now on (M3).
    pub(crate) fn remove_tenant(&self, name: &str) -> Result<Commit, AdminError> {
        let mut registry = self.registry_mut();
        let partner = registry.remove(name).ok_or_else(|| unknown_tenant(name))?;
        self.faults().clear_tenant(name);
        let mut changes = removals(&partner);
        changes.extend(removed_put(&registry, name));
        Ok(self.store.save(changes))
    }

    /// Everything back to the start (M3).
    pub(crate) fn reset(&self) -> Commit {
        let mut registry = self.registry_mut();
        let mut changes: Vec<Put> = registry
            .partners()
            .into_iter()
            .flat_map(|partner| removals(partner))
            .chain(removed_puts(&registry).map(Put::removal))
            .collect();
        self.faults().clear();
        self.unattributed().clear();
        self.rejected_key.clear();
        self.playbooks().clear();
        self.restart_counters();
        *registry = Registry::new(0, Removed::new());
        for tenant in self.settings.config.tenants() {
            let account = super::registry::configured_account(&self.settings, &tenant, self.seed());
            let partner = registry.add(account, Entry::of(Origin::Configured));
            changes.extend(unsaved_account(&partner));
        }
        if let Some(first) = registry.partners().first() {
            // The start applied them already; what cannot be applied now leaves the account empty.
            let _ = self.fill(first);
            changes.extend(unsaved_account(first));
        }
        changes.push(self.server_record(&registry).put());
        changes.push(moment_put(self.now()));
        self.store.save(changes)
    }

    /// Gives an account what `--fixtures` says.
    pub(super) fn fill(&self, first: &Partner) -> Result<(), AdminError> {
        match &self.settings.fixtures {
            Some(fixtures) => fixtures.apply(&mut first.account(), first.time(self.now())),
            None => Ok(()),
        }
    }

    /// One account back to its start; its keys stay (M3).
    pub(crate) fn reset_tenant(&self, name: &str) -> Result<Commit, AdminError> {
        let partner = self.partner(name)?;
        self.faults().clear_tenant(name);
        partner.journal().clear();
        *partner.history() = CallHistory::default();
        let mut account = partner.account();
        account.reset();
        if let Some(mut watch) = partner.watch() {
            watch.end();
        }
        partner.set_clock_offset(Duration::ZERO);
        Ok(self.save_with_entry(&partner, &mut account))
    }

    /// A further key for an account.
    pub(crate) fn issue_key(&self, name: &str) -> Result<(String, Commit), AdminError> {
        let mut registry = self.registry_mut();
        let partner = registry
            .partner(name)
            .cloned()
            .ok_or_else(|| unknown_tenant(name))?;
        let mut account = partner.account();
        let text = account.issue_key();
        let id = account
            .keys()
            .find(|(_, known)| *known == text)
            .map(|(id, _)| id);
        if let Some(id) = id {
            registry.add_key(&partner, id, &text);
        }
        let commit = self.save(name, &mut account);
        drop(account);
        Ok((text, commit))
    }

    /// Takes a key away; calls with it are answered 401 from now on.
    pub(crate) fn revoke_key(&self, name: &str, key: &str) -> Result<Commit, AdminError> {
        let mut registry = self.registry_mut();
        let partner = registry
            .partner(name)
            .cloned()
            .ok_or_else(|| unknown_tenant(name))?;
        let mut account = partner.account();
        if !account.revoke_key(key) {
            return Err(AdminError::Unknown(format!(
                "The account `{name}` has no such key."
            )));
        }
        registry.remove_key(key);
        Ok(self.save(name, &mut account))
    }

    /// Moves every account's time; what was due until then has happened when this returns.
    pub(crate) fn move_all_clocks(&self, movement: Movement) -> Result<Commit, AdminError> {
        let registry = self.registry();
        let span = span(movement, self.now())?;
        self.move_clock(span);
        let server = self.server_record(&registry).put();
        let mut commit = self.store.save(vec![server, moment_put(self.now())]);
        for partner in registry.partners() {
            let mut account = partner.account();
            account.advance(partner.time(self.now()));
            // The store applies changes in order: the last commit stands for all before it.
            commit = self.save(partner.name(), &mut account);
        }
        Ok(commit)
    }

    /// Lets happen what is due by now, as the next call would.
    pub(crate) fn catch_up(&self, partner: &Partner, now: Instant) {
        let mut account = partner.account();
        let now = partner.time(now);
        if !account.is_due(now) {
            return;
        }
        account.advance(now);
        // Nobody is answered, so nobody waits for it to be durable.
        drop(self.save(partner.name(), &mut account));
    }

    /// Moves one account's time.
    pub(crate) fn move_clock_of(
        &self,
        name: &str,
        movement: Movement,
    ) -> Result<Commit, AdminError> {
        let partner = self.partner(name)?;
        let mut account = partner.account();
        let span = span(movement, partner.time(self.now()))?;
        partner.set_clock_offset(partner.clock_offset().saturating_add(span));
        account.advance(partner.time(self.now()));
        Ok(self.save_with_entry(&partner, &mut account))
    }

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

    pub(crate) fn partner(&self, name: &str) -> Result<Arc<Partner>, AdminError> {
        self.registry()
            .partner(name)
            .cloned()
            .ok_or_else(|| unknown_tenant(name))
    }

    /// Keys that no pattern tells from other texts; whatever is shown is shown without them (M6).
    pub(crate) fn secrets(&self) -> Vec<String> {
        let admin_key = self.settings.admin_key.as_ref();
        let registry = self.registry();
        let chosen = registry.chosen_keys().map(str::to_owned);
        let admin_key = admin_key.map(|key| key.expose().to_owned());
        chosen.chain(admin_key).collect()
    }

    /// Forgets the calls that a tenant filter selects, and what later ones are held against.
    pub(crate) fn clear_journals(&self, tenant: Option<&str>) -> Result<(), AdminError> {
        self.with_journals(tenant, |name, journal| {
            journal.clear();
            name.map(str::to_owned)
        })?
        .into_iter()
        .flatten()
        .filter_map(|name| self.partner(&name).ok())
        .for_each(|partner| *partner.history() = CallHistory::default());
        Ok(())
    }

    /// The journals that a tenant filter selects: one account's, or all.
    pub(crate) fn with_journals<T>(
        &self,
        tenant: Option<&str>,
        mut visit: impl FnMut(Option<&str>, &mut Journal) -> T,
    ) -> Result<Vec<T>, AdminError> {
        match tenant {
            Some(name) => Ok(vec![visit(tenant, &mut self.partner(name)?.journal())]),
            None => {
                let registry = self.registry();
                let mut seen: Vec<T> = registry
                    .partners()
                    .into_iter()
                    .map(|partner| visit(Some(partner.name()), &mut partner.journal()))
                    .collect();
                seen.push(visit(None, &mut self.unattributed()));
                Ok(seen)
            }
        }
    }

    fn on_account(
        &self,
        name: &str,
        act: impl FnOnce(&mut Account, Instant) -> Result<(), Refusal>,
    ) -> Result<Commit, AdminError> {
        let partner = self.partner(name)?;
        let mut account = partner.account();
        act(&mut account, partner.time(self.now())).map_err(refused)?;
        Ok(self.save(name, &mut account))
    }

    /// Hands over what changed in an account, and its own clock.
    fn save_with_entry(&self, partner: &Partner, account: &mut Account) -> Commit {
        let entry = partner_put(partner.name(), Some(partner.entry()));
        // The store applies changes in order: the last commit stands for all before it.
        drop(self.store.save(vec![entry]));
        self.save(partner.name(), account)
    }

    /// A record's id tells no account: the one that has it acts.
    fn on_record(
        &self,
        record: RecordRef<'_>,
        act: impl Fn(&mut Account, Instant) -> Result<(), Refusal>,
    ) -> Result<Commit, AdminError> {
        let registry = self.registry();
        let partners = match record.tenant {
            Some(name) => vec![registry.partner(name).ok_or_else(|| unknown_tenant(name))?],
            None => registry.partners(),
        };
        for partner in partners {
            let mut account = partner.account();
            match act(&mut account, partner.time(self.now())) {
                Err(Refusal::EndpointNotFound | Refusal::DomainNotFound) => {}
                done => {
                    done.map_err(refused)?;
                    return Ok(self.save(partner.name(), &mut account));
                }
            }
        }
        Err(AdminError::Unknown(format!(
            "No account has a record {}.",
            record.id
        )))
    }

    pub(super) fn server_record(&self, registry: &Registry) -> ServerRecord {
        ServerRecord {
            seed: self.seed(),
            clock_offset_ms: self.clock_offset_ms(),
            made_up_names: registry.made_up_names,
        }
    }
}

fn free_name(registry: &Registry, name: String) -> Result<String, AdminError> {
    checks::account_name(&name)
        .map_err(|reason| AdminError::BadInput(format!("The name {reason}.")))?;
    match registry.partner(&name) {
        Some(_) => Err(AdminError::Conflict(format!(
            "The name `{name}` is taken; choose another one."
        ))),
        None => Ok(name),
    }
}

pub(super) fn unknown_tenant(name: &str) -> AdminError {
    AdminError::Unknown(format!("There is no account `{name}`."))
}

/// How far a movement goes from `now`.
fn span(movement: Movement, now: Instant) -> Result<Duration, AdminError> {
    let bad = |sentence: &str| AdminError::BadInput(sentence.to_owned());
    match movement.span(now) {
        Some(span) if span <= FURTHEST => Ok(span),
        Some(_) => Err(bad(
            "Time moves at most ten years (3660 days) in one call; move it in several.",
        )),
        None => Err(bad(
            "Time only moves forward; give a later moment, or reset.",
        )),
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

//! Keys of accounts (M3).

use super::accounts::Accounts;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;

impl Accounts {
    /// A further key for an account.
    pub(crate) fn issue_key(&self, name: &str) -> Result<(String, Commit), AdminError> {
        let mut registry = self.registry_mut();
        let shared = registry.named(name)?;
        let mut account = shared.lock();
        let text = account.issue_key();
        let id = account
            .keys()
            .find(|(_, known)| *known == text)
            .map(|(id, _)| id);
        if let Some(id) = id {
            registry.add_key(&shared, id, &text);
        }
        let commit = self.save(name, &mut account);
        drop(account);
        Ok((text, commit))
    }

    /// Takes a key away; calls with it are answered 401 from now on.
    pub(crate) fn revoke_key(&self, name: &str, key: &str) -> Result<Commit, AdminError> {
        let mut registry = self.registry_mut();
        let shared = registry.named(name)?;
        let mut account = shared.lock();
        if !account.revoke_key(key) {
            return Err(AdminError::Unknown(format!(
                "The account `{name}` has no such key."
            )));
        }
        registry.remove_key(key);
        Ok(self.save(name, &mut account))
    }

    /// Keys that no pattern tells from other texts; whatever is shown is shown without them (M6).
    pub(crate) fn secrets(&self) -> Vec<String> {
        let admin_key = self.settings.admin_key.as_ref();
        let registry = self.registry();
        let chosen = registry.chosen_keys().map(str::to_owned);
        let admin_key = admin_key.map(|key| key.expose().to_owned());
        chosen.chain(admin_key).collect()
    }
}

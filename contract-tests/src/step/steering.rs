//! Steps by which the service is steered: a call of its admin API, a fault, time that passes.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use crate::need::Need;
use crate::recipe::Members;
use crate::sample_account::SampleAccount;
use crate::table::TABLE;

/// A call of the admin API.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    /// Method and path below `/_mock/`; `~` is the account.
    steer: String,
    /// What it is steered with.
    #[serde(default)]
    with: Members,
}

impl Control {
    pub(super) fn name(&self) -> &str {
        &self.steer
    }

    pub(super) fn need(&self) -> Need {
        match self.steer.rsplit('/').next() {
            Some("leak-dataset" | "portal-account") => Need::Switches,
            _ => Need::World,
        }
    }

    pub(super) async fn act(&self, sample: &SampleAccount) {
        let account = &sample.account;
        let (method, path) = self.steer.split_once(' ').expect("method and path");
        let mut parts = Vec::new();
        for part in path.split('/') {
            parts.push(sample.filled_name(part).await);
        }
        let path = format!("/_mock/{}", parts.join("/").replace('~', &account.name));
        let body = sample.filled_value(&json!(self.with)).await;
        let method: Method = method.parse().expect("a method");
        account.steer(self.need(), method, &path, &body).await;
    }
}

/// A fault that hits the next call of an operation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    #[serde(rename = "fault")]
    operation: String,
    /// Its effect.
    with: Members,
}

impl Fault {
    pub(super) fn operation(&self) -> &str {
        &self.operation
    }

    pub(super) async fn place(&self, sample: &SampleAccount) {
        let row = TABLE.operation(&self.operation);
        let effect = json!(self.with);
        let (method, path) = (row.http_method(), row.path_with("*"));
        sample.account.fault(&method, &path, effect).await;
    }
}

/// Time that passes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    seconds: u64,
}

impl Wait {
    pub(super) fn name(&self) -> String {
        format!("{} seconds pass", self.seconds)
    }

    pub(super) async fn pass(&self, sample: &SampleAccount) {
        sample.account.advance(self.seconds).await;
    }
}

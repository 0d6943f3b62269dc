//! The mock's admin API.

use crate::context::Context;
use crate::error::{CliError, Failure, LocalErrorKind};
use crate::machine::env_vars;
use crate::session::Session;
use crate::session::guard::Guard;
use crate::session::service::{self, Service, Source};
use crate::ui::outcome::Cell;
use bytes::Bytes;
use clap::Args;
use http::{Method, Request, header};
use secmon::transport::Transport;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Where the mock's admin API is.
#[derive(Debug, Args)]
pub struct AdminArgs {
    /// Address of the admin API; by default SECMON_MOCK_ADMIN_URL, or the address of the service
    #[arg(long, value_name = "URL", global = true)]
    pub admin_url: Option<String>,
}

/// A mock on this computer or in a test answers sooner; moving time far takes a moment.
const PATIENCE: Duration = Duration::from_secs(60);

/// The admin API of one mock.
pub struct Admin {
    origin: String,
    transport: Arc<dyn Transport>,
    key: Option<String>,
    /// Why nothing may be changed.
    refusal: Option<CliError>,
}

impl Admin {
    /// Where the options, the environment or the service say it is.
    pub fn of(context: &Context, args: &AdminArgs) -> Result<Self, CliError> {
        let origin = match named(args)? {
            Some(url) => url,
            None => context.session.settings.service()?.base_url.clone(),
        };
        Ok(Self {
            origin: service::origin_of(&origin),
            transport: context.session.admin_transport()?,
            key: env_vars::text("SECMON_MOCK_ADMIN_KEY")?,
            refusal: refusal(&context.session),
        })
    }

    /// Whether it is the one that ends with this command.
    pub fn is_embedded(context: &Context, args: &AdminArgs) -> Result<bool, CliError> {
        let service = context.session.settings.service.as_ref();
        Ok(named(args)?.is_none() && service.is_ok_and(|service| service.source == Source::Local))
    }

    /// Whether it steers the mock that the command's account is on.
    pub fn is_of(&self, service: &Service) -> bool {
        service::origin_of(&service.base_url) == self.origin
    }

    /// Makes a call under `/_mock/`; an empty answer is null.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, CliError> {
        if let (Some(refusal), false) = (&self.refusal, method.is_safe()) {
            return Err(refusal.clone());
        }
        let uri = format!("{}/_mock/{path}", self.origin);
        let failed = |reason: String| {
            CliError::new(
                LocalErrorKind::NoMock,
                format!(
                    "the admin API of the mock at {} does not answer: {reason}",
                    self.origin
                ),
            )
        };
        let mut request = Request::builder()
            .method(method)
            .uri(&uri)
            .header(header::ACCEPT, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let body = body
            .map(|body| Bytes::from(body.to_string()))
            .unwrap_or_default();
        let request = request
            .body(body)
            .map_err(|_| CliError::usage(format!("--admin-url: {uri:?} is not an address")))?;
        let answer = tokio::time::timeout(PATIENCE, self.transport.send(request))
            .await
            .map_err(|_| failed(format!("no answer within {} s", PATIENCE.as_secs())))?
            .map_err(|error| failed(error.to_string()))?;
        let value = serde_json::from_slice::<Value>(answer.body()).unwrap_or(Value::Null);
        if answer.status().is_success() {
            return Ok(value);
        }
        let status = answer.status().as_u16();
        let reason = value["error"].as_str().unwrap_or("this is not a mock");
        Err(CliError::new(
            Failure::MockRefused(status),
            format!("the mock refused: {reason} ({status})"),
        ))
    }
}

/// The address that an option or the environment gives.
fn named(args: &AdminArgs) -> Result<Option<String>, CliError> {
    let option = args.admin_url.clone();
    Ok(option.or(env_vars::text("SECMON_MOCK_ADMIN_URL")?))
}

/// A mock is changed by nobody who only looks: not in a dry run, and not with a read-only profile.
fn refusal(session: &Session) -> Option<CliError> {
    let safety = &session.settings.safety;
    if safety.dry_run {
        return Some(CliError::usage(
            "a mock's state has no dry run: leave out -n, or leave it as it is",
        ));
    }
    let name = session.settings.profile_name.as_deref().unwrap_or("in use");
    safety.read_only.then(|| Guard::read_only_error(name))
}

/// A field as the mock tells it.
pub fn field_of(record: &Value, name: &str) -> Cell {
    match &record[name] {
        Value::Null => Cell::Missing,
        Value::String(text) => Cell::text(text),
        other => Cell::text(other),
    }
}

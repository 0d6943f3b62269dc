//! `-v`, `-vv` and `--debug-file`: what went to the service and what came back, without the secrets.

use crate::error::CliError;
use crate::machine::files;
use crate::session::guard::Answer;
use crate::ui::{Ui, sanitize_cell};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use secmon::transport::{BoxFuture, Transport};
use secmon::{ApiKey, OperationInfo};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// What is told of calls, besides their results.
#[derive(Debug, Clone, Default)]
pub struct Telling {
    /// On standard error: nothing, with 1 a line a call, with 2 headers and bodies too.
    pub verbosity: u8,
    /// A file that gets everything.
    pub file: Option<Arc<DebugFile>>,
}

/// So much of a body is told of; the rest is counted.
const BODY_SHOWN: usize = 16 * 1024;

/// What tells one request from another: method, address and body.
type RequestIdentity = (Method, Uri, Bytes);

/// A transport that tells of each request it passes on.
pub struct CallLog {
    inner: Arc<dyn Transport>,
    ui: Arc<Ui>,
    key: ApiKey,
    telling: Telling,
    /// Requests that have not succeeded yet, and how often each was tried.
    tries: Mutex<HashMap<RequestIdentity, u32>>,
}

impl CallLog {
    /// Puts the log in front of a transport, where one was asked for.
    pub fn around(
        inner: Arc<dyn Transport>,
        telling: &Telling,
        ui: &Arc<Ui>,
        key: &ApiKey,
    ) -> Result<Arc<dyn Transport>, CliError> {
        match &telling.file {
            Some(file) => file.open()?,
            None if telling.verbosity == 0 => return Ok(inner),
            None => {}
        }
        Ok(Arc::new(Self {
            inner,
            ui: Arc::clone(ui),
            key: key.clone(),
            telling: telling.clone(),
            tries: Mutex::default(),
        }))
    }

    /// Counts the attempts of one request.
    fn attempt(&self, request: RequestIdentity) -> u32 {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        let count = tries.entry(request).or_default();
        *count += 1;
        *count
    }

    fn tell(&self, call: &Call, result: &Answer) {
        let line = call.line(result);
        let Telling { verbosity, file } = &self.telling;
        if *verbosity == 1 {
            self.ui.trace(&self.key.redact(&line));
        }
        if *verbosity < 2 && file.is_none() {
            return;
        }
        let mut text = format!("{line}\n{}", call.sent);
        if let Ok(answer) = result {
            let body = match call.may_hold_secrets(answer.status()) {
                true => b"(withheld: it holds secrets)",
                false => answer.body().as_ref(),
            };
            text.push_str(&headers_and_body('<', answer.headers(), body));
        }
        let text = self.key.redact(&text);
        if *verbosity >= 2 {
            self.ui.trace(text.trim_end());
        }
        if let Some(file) = file {
            let now = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.3f+00:00");
            file.add(&format!("{now} {text}"));
        }
    }
}

/// A request as it is told of.
struct Call {
    method: Method,
    uri: Uri,
    attempt: u32,
    started: Instant,
    /// Whether its result is a sign-in token or leaked credentials.
    is_secret: bool,
    /// Headers and body, as they are told.
    sent: String,
}

impl Call {
    /// An error of such a call holds no secret.
    fn may_hold_secrets(&self, status: StatusCode) -> bool {
        let is_result = status.is_success() || status == StatusCode::SERVICE_UNAVAILABLE;
        self.is_secret && is_result
    }

    fn line(&self, result: &Answer) -> String {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let end = match result {
            Ok(answer) => answer.status().as_u16().to_string(),
            Err(error) => format!("no answer ({error})"),
        };
        format!(
            "{} {path} {end}, attempt {}, {} ms",
            self.method,
            self.attempt,
            self.started.elapsed().as_millis()
        )
    }
}

impl Transport for CallLog {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Answer> {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let identity = (method.clone(), uri.clone(), request.body().clone());
        let operation = request.extensions().get::<&'static OperationInfo>();
        let call = Call {
            method,
            uri,
            attempt: self.attempt(identity.clone()),
            started: Instant::now(),
            is_secret: operation.is_some_and(|operation| operation.secret),
            sent: headers_and_body('>', request.headers(), request.body()),
        };
        Box::pin(async move {
            let result = self.inner.send(request).await;
            self.tell(&call, &result);
            if result
                .as_ref()
                .is_ok_and(|answer| !may_be_repeated(answer.status()))
            {
                let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
                tries.remove(&identity);
            }
            result
        })
    }
}

fn may_be_repeated(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

fn headers_and_body(mark: char, headers: &HeaderMap, body: &[u8]) -> String {
    let mut text = String::new();
    for (name, value) in headers {
        let hidden = value.is_sensitive()
            || [
                header::AUTHORIZATION,
                header::PROXY_AUTHORIZATION,
                header::COOKIE,
                header::SET_COOKIE,
            ]
            .contains(name);
        let value = match hidden {
            true => "****".into(),
            false => String::from_utf8_lossy(value.as_bytes()),
        };
        let _ = writeln!(text, "  {mark} {name}: {}", sanitize_cell(&value));
    }
    if body.is_empty() {
        return text;
    }
    let shown = &body[..body.len().min(BODY_SHOWN)];
    let _ = writeln!(
        text,
        "  {mark} {}",
        sanitize_cell(&String::from_utf8_lossy(shown))
    );
    if body.len() > BODY_SHOWN {
        let _ = writeln!(text, "  {mark} ... of {} bytes", body.len());
    }
    text
}

/// The option that names the file of calls.
pub const DEBUG_FILE: &str = "--debug-file";

/// The file of `--debug-file`: one for all connections of a process.
#[derive(Debug)]
pub struct DebugFile {
    path: PathBuf,
    opened: OnceLock<File>,
}

impl DebugFile {
    /// The file of this name; it is not touched yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            opened: OnceLock::new(),
        }
    }

    /// Empties the file, or makes it, the first time; only its owner reads it, whoever could before.
    fn open(&self) -> Result<(), CliError> {
        if self.opened.get().is_some() {
            return Ok(());
        }
        let opened = emptied(&self.path)?;
        self.opened.get_or_init(|| opened);
        Ok(())
    }

    /// Adds what was told of a call. A log that cannot be written keeps nobody from working.
    fn add(&self, text: &str) {
        if let Some(mut file) = self.opened.get() {
            let _ = file.write_all(text.as_bytes());
        }
    }
}

fn emptied(path: &Path) -> Result<File, CliError> {
    let file = files::create(DEBUG_FILE, path, files::private(&mut File::options()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            let closed = file.set_permissions(std::fs::Permissions::from_mode(0o600));
            let name = format!("{DEBUG_FILE} {}", path.display());
            closed.map_err(|error| CliError::io(&name, &error))?;
        }
    }
    Ok(file)
}

//! `--local`: the mock on a thread of its own, its state kept on this computer.
//!
//! One invocation at a time holds the state. It takes a lock before its first request and gives it back while it
//! waits, so that a second shell is not kept out by a long wait.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::{env_vars, files, paths};
use crate::session::guard::Answer;
use crate::ui::Ui;
use bytes::Bytes;
use http::Request;
use secmon::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};
use secmon_mock::{Fixtures, MockServer, StartError};
use std::cell::OnceCell;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The key of the mock's first default account.
pub const KEY: &str = "test_key_acme";

/// The file with what a new state starts with.
const FIXTURES: &str = "SECMON_MOCK_FIXTURES";
/// Paths of the calls that steer the mock.
const STEERING: &str = "/_mock";
const MAX_FIXTURES: u64 = 16 * 1024 * 1024;

/// How long an invocation waits for another one to give the state back.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(25);

/// The embedded mock as a transport: it runs while there are requests, and stops for every wait.
pub struct LocalService {
    network: Arc<dyn Transport>,
    ui: Arc<Ui>,
    folder: PathBuf,
    running: Mutex<Option<Arc<Running>>>,
    /// Calls made at the same time start one server, not several that keep each other out.
    starting: tokio::sync::Mutex<()>,
    fixtures_told: Once,
}

struct Running {
    server: MockServer,
    /// Dropped after the server, so the next holder finds the state file closed.
    _lock: File,
}

/// The embedded mock that a command holds, once it has started it; copies let go of the same one.
#[derive(Clone, Default)]
pub struct MockHandle(Rc<OnceCell<Arc<LocalService>>>);

impl MockHandle {
    /// Keeps in mind which one it is.
    pub fn begin(&self, service: &Arc<LocalService>) {
        self.0.get_or_init(|| Arc::clone(service));
    }

    /// Lets other processes use the mock until the next call.
    pub fn release(&self) {
        if let Some(service) = self.0.get() {
            service.release();
        }
    }
}

impl LocalService {
    /// Nothing is started or locked before the first request.
    pub fn new(network: Arc<dyn Transport>, ui: &Arc<Ui>) -> Result<Self, CliError> {
        let folder = paths::local_state_folder()?;
        Ok(Self {
            network,
            ui: Arc::clone(ui),
            folder,
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            fixtures_told: Once::new(),
        })
    }

    /// Starts the mock, waiting for another invocation to give the state back.
    pub async fn start(&self) -> Result<(), CliError> {
        let _starting = self.starting.lock().await;
        if self.running().is_some() {
            return Ok(());
        }
        let lock = self.lock().await?;
        let server = self.open()?;
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(Running {
            server,
            _lock: lock,
        }));
        Ok(())
    }

    /// Stops the mock and gives the state to others until the next request; a call on its way comes to its end first.
    pub fn release(&self) {
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    async fn lock(&self) -> Result<File, CliError> {
        let path = self.folder.join("lock");
        let failed =
            |error: std::io::Error| CliError::io(&format!("lock file {}", path.display()), &error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let mut options = File::options();
        let mut file = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        let patience_ends = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < patience_ends => {
                    tokio::time::sleep(POLL).await;
                }
                Err(TryLockError::WouldBlock) => return Err(held_by(&mut file)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        write_holder(&mut file).map_err(failed)?;
        Ok(file)
    }

    fn open(&self) -> Result<MockServer, CliError> {
        let mut mock = MockServer::builder()
            .state(self.folder.join("state.sqlite"))
            .rate_limit(secmon_mock::RateLimit::Off)
            .scenario(secmon_mock::Scenario::Warnings);
        if let Some(fixtures) = fixtures()? {
            mock = mock.fixtures(fixtures);
        }
        mock.start().map_err(|error| match error {
            StartError::Settings(mistakes) => CliError::usage(format!("{FIXTURES}: {mistakes}")),
            error => CliError::new(
                LocalErrorKind::LocalState,
                format!("the embedded mock cannot start: {error}"),
            ),
        })
    }

    /// Says once that the state is not the one that was asked for. Who steers the mock may be about to begin anew.
    fn tell_of_fixtures(&self, server: &MockServer, path: &str) {
        if server.passed_over_fixtures() && !path.starts_with(STEERING) {
            self.fixtures_told.call_once(|| {
                self.ui.note(&format!(
                    "note: {FIXTURES} is for a new state, and the embedded mock has one already; secmon --local mock reset starts anew with it"
                ));
            });
        }
    }

    fn running(&self) -> Option<Arc<Running>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.clone()
    }
}

/// What the environment asks a new state to start with.
fn fixtures() -> Result<Option<Fixtures>, CliError> {
    let Some(file) = env_vars::text(FIXTURES)? else {
        return Ok(None);
    };
    let bytes = files::read(Path::new(&file), &file, MAX_FIXTURES)?;
    let text = String::from_utf8_lossy(&bytes);
    let fixtures = Fixtures::parse(&text)
        .map_err(|mistake| CliError::usage(format!("{FIXTURES}: {file}: {mistake}")))?;
    Ok(Some(fixtures))
}

impl Transport for LocalService {
    fn send(&self, mut request: Request<Bytes>) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            self.start().await.map_err(|error| {
                TransportError::new(TransportErrorKind::Connect, error.message())
            })?;
            // It runs at least until the answer is there.
            let Some(running) = self.running() else {
                return Err(TransportError::new(
                    TransportErrorKind::Connect,
                    "the embedded mock is not running",
                ));
            };
            let path = request.uri().path_and_query();
            let path = path.map_or("/", |path| path.as_str());
            self.tell_of_fixtures(&running.server, path);
            if let Ok(uri) = format!("{}{path}", running.server.url()).parse() {
                *request.uri_mut() = uri;
            }
            self.network.send(request).await
        })
    }
}

fn write_holder(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn held_by(file: &mut File) -> CliError {
    let mut holder = String::new();
    let known = file.read_to_string(&mut holder).is_ok() && !holder.is_empty();
    let holder = if known {
        format!("process {holder}")
    } else {
        "another process".to_owned()
    };
    CliError::new(
        LocalErrorKind::LocalBusy,
        format!("the embedded mock is in use by {holder}"),
    )
}

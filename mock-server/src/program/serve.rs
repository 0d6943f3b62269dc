//! From settings to a listening server.

use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::admin::router;
use crate::configuration::settings::Settings;
use crate::configuration::start_error::StartError;
use crate::connection::arrival::Scheme;
use crate::connection::server::{self, AdminPaths, Handler, Listener, Services};
use crate::connection::tls::{Authority, Terminator};
use crate::http::call::Api;
use crate::http::openapi;
use crate::mock::Mock;

/// Calls of the admin API that are worked on at once: each may build a whole state.
const AT_ONCE: usize = 4;

/// A mock whose sockets are bound: calls that come in wait until [`Self::serve`].
pub(crate) struct Bound {
    mock: Arc<Mock>,
    public: TcpListener,
    address: SocketAddr,
    admin: Option<(TcpListener, SocketAddr)>,
    tls: Option<Secured>,
}

/// Where https is served.
struct Secured {
    listener: TcpListener,
    address: SocketAddr,
    terminator: Arc<Terminator>,
}

impl Bound {
    /// Opens the state, binds the addresses.
    pub(crate) fn new(settings: Settings) -> Result<Self, StartError> {
        let (public, address) = bind(&settings.listen)?;
        let admin = settings.admin_listen.as_ref().map(bind).transpose()?;
        let secured = settings.tls.as_ref().map(|tls| bind(&tls.listen));
        let secured = secured.transpose()?;
        let admin_addresses = match &admin {
            Some((_, own)) => vec![*own],
            None => [address]
                .into_iter()
                .chain(secured.as_ref().map(|(_, address)| *address))
                .collect(),
        };
        let from_outside = admin_addresses
            .into_iter()
            .find(|address| !address.ip().is_loopback());
        if settings.admin_key.is_none()
            && let Some(address) = from_outside
        {
            return Err(StartError::AdminKeyRequired { address });
        }
        let authority = settings.tls.as_ref().map(Authority::of).transpose()?;
        let mut mock = Mock::open(settings)?;
        mock.public_port = address.port();
        mock.authority = authority
            .as_ref()
            .map(|authority| authority.pem().to_owned());
        let mock = Arc::new(mock);
        let tls = secured
            .zip(authority)
            .map(|((listener, address), authority)| {
                Ok(Secured {
                    listener,
                    address,
                    terminator: Arc::new(Terminator::new(&mock.accounts, authority)?),
                })
            });
        Ok(Self {
            tls: tls.transpose()?,
            mock,
            public,
            address,
            admin,
        })
    }

    pub(crate) fn mock(&self) -> &Arc<Mock> {
        &self.mock
    }

    /// What the program says once it listens, by the addresses that were asked for.
    pub(crate) fn lines(&self) -> String {
        let line = |what: &str, scheme: Scheme, address: &SocketAddr| {
            format!("{what} on {}\n", scheme.origin(&address.to_string()))
        };
        let mut lines = line("listening", Scheme::Http, &self.address);
        if let Some((_, address)) = &self.admin {
            lines += &line("admin", Scheme::Http, address);
        }
        if let Some(secured) = &self.tls {
            lines += &line("listening", Scheme::Https, &secured.address);
        }
        lines
    }

    /// The origin of the partner API for a client on this computer.
    pub(crate) fn local_url(&self) -> String {
        reached(Scheme::Http, self.address)
    }

    /// The same by https, where that is spoken.
    pub(crate) fn local_secured_url(&self) -> Option<String> {
        let secured = self.tls.as_ref()?;
        Some(reached(Scheme::Https, secured.address))
    }

    /// The origin of the admin API for a client on this computer.
    pub(crate) fn local_admin_url(&self) -> String {
        let own = self.admin.as_ref().map(|(_, address)| *address);
        reached(Scheme::Http, own.unwrap_or(self.address))
    }

    /// Writes the ports into the files that were asked for, whole: a reader sees all of one or no file. They go with what
    /// is returned.
    pub(crate) fn write_port_files(&self) -> Result<PortFiles, StartError> {
        let mut written_files = PortFiles::default();
        let settings = &self.mock.accounts.settings;
        let admin = self.admin.as_ref().map(|(_, address)| address);
        let secured = self.tls.as_ref().map(|secured| &secured.address);
        let of_tls = settings.tls.as_ref().and_then(|tls| tls.port_file.as_ref());
        let files = [
            (settings.port_file.as_ref(), Some(&self.address)),
            (settings.admin_port_file.as_ref(), admin),
            (of_tls, secured),
        ];
        for (path, address) in files {
            if let (Some(path), Some(address)) = (path, address) {
                let text = format!("{}\n", address.port());
                replace(path, &text).map_err(|source| StartError::PortFile {
                    path: path.clone(),
                    source,
                })?;
                written_files.0.push((path.clone(), text));
            }
        }
        Ok(written_files)
    }

    /// Serves until `stop` is done; requests in flight may take `grace` longer.
    pub(crate) fn serve(
        self,
        stop: impl Future<Output = ()>,
        grace: Duration,
    ) -> Result<(), StartError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(AT_ONCE)
            .build()
            .map_err(StartError::Runtime)?;
        let mock = Arc::clone(&self.mock);
        let listeners = self.listeners();
        let expiring = Arc::clone(&mock);
        runtime.spawn(async move { expiring.accounts.expire().await });
        let stop = async {
            stop.await;
            // Whoever listens would hold the server up.
            mock.accounts.events_from_now().close();
        };
        let served = runtime.block_on(server::serve(listeners, stop, grace));
        // Calls that are still on their way are dropped with the runtime; then the file is free.
        drop(runtime);
        mock.accounts.store.close();
        served.map_err(StartError::Runtime)
    }

    fn listeners(self) -> Vec<Listener> {
        let listening = |socket, tls, services| Listener {
            socket,
            handler: Handler { tls, services },
        };
        let services = public_services(&self.mock);
        let secured = self.tls.map(|secured| {
            let tls = Some(secured.terminator);
            listening(secured.listener, tls, services.clone())
        });
        let admin = self.admin.map(|(listener, _)| {
            let router = router::standalone_router(&self.mock).merge(openapi::router());
            listening(listener, None, Services::Admin(router))
        });
        let public = listening(self.public, None, services);
        [Some(public), admin, secured]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Port files and what was written into them; removed at the end (M14), unless somebody else has written them since.
#[derive(Default)]
pub(crate) struct PortFiles(Vec<(PathBuf, String)>);

impl Drop for PortFiles {
    fn drop(&mut self) {
        for (path, text) in &self.0 {
            let is_file = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
            if is_file && std::fs::read_to_string(path).is_ok_and(|now| now == *text) {
                forget_port(path);
            }
        }
    }
}

/// What answers on the public address.
pub(crate) fn public_services(mock: &Arc<Mock>) -> Services {
    let api = Arc::new(Api::new(mock));
    let (router, admin) = match mock.accounts.settings.admin_listen {
        Some(_) => (openapi::router(), AdminPaths::Separate),
        None => {
            let router = openapi::router().merge(router::router(mock));
            (router, AdminPaths::Beside)
        }
    };
    Services::Partner { api, router, admin }
}

/// The origin by which this computer reaches an address: one that stands for all of its own is reached by loopback, whose
/// name is any account's portal domain (A4).
fn reached(scheme: Scheme, mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    scheme.origin(&address.to_string())
}

fn bind(
    address: &crate::configuration::address::ListenAddress,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let listener = address.bind()?;
    let bound = listener.local_addr().map_err(|source| StartError::Listen {
        address: address.to_string(),
        source,
    })?;
    Ok((listener, bound))
}

/// Puts a text in the place of a file, whole. What is no file of its own, such as a pipe or a device, is written to.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // A link stays: what it names is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    if is_special || path.is_symlink() {
        let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
        return file.write_all(text.as_bytes());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let unfinished = path.with_file_name(name);
    let written =
        std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        // Where it cannot be removed either, there is nothing more to do.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

/// Takes away the port that an earlier start left: whoever waits for the file must not find it.
pub(crate) fn forget_port(path: &Path) {
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        // Where it cannot be removed, it cannot be written either, and that is said.
        let _ = std::fs::remove_file(path);
    }
}

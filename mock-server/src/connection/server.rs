//! The way from a listening socket to the router and back: time-outs, a cap on connections,
//! a graceful end, and the broken connections that faults ask for.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

use super::arrival::Certificate;
use super::arrival::{ArrivedOn, Scheme};
use super::close_mode::CloseMode;
use super::close_mode::{Half, HungUp};
use super::connection_io::ConnectionIo;
use super::connection_io::ResetSwitch;
use super::maybe_tls::MaybeTls;
use crate::connection::tls::{Handshake, Terminator};
use crate::http::call::Api;
use crate::http::call::outcome::CallOutcome;
use crate::operations::documents;

/// Connections beyond this many, or beyond what the limit on descriptors leaves room for, are answered 503 and closed.
const CONNECTION_CAP: usize = 4096;

/// Descriptors that are no connections': files, sockets that listen, and one to say 503 on.
#[cfg(unix)]
const RESERVE: u64 = 64;

/// How long a client may take to send a request's head, and how long an idle connection is kept.
/// Longer than the 90 s after which common clients drop an idle connection themselves: so the
/// client closes first, and never sends into a connection that the server is just closing.
const HEAD_TIMEOUT: Duration = Duration::from_secs(100);

/// How long a client may take over a TLS handshake; it holds a seat meanwhile.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes that a connection holds of what comes in, and of what goes out in pieces: a head is no longer.
const BUFFER: usize = 408 * 1024;

/// The same of each connection beyond the first [`FEW`], so that thousands together hold little.
const CROWDED_BUFFER: usize = 64 * 1024;

/// Connections that are no crowd.
const FEW: usize = 256;

/// Pause after the system refused a connection (out of file descriptors), so as not to spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A bound socket and what is behind it.
pub(crate) struct Listener {
    pub(crate) socket: TcpListener,
    pub(crate) handler: Handler,
}

/// What a connection meets: TLS, where it is spoken, and what answers.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) tls: Option<Arc<Terminator>>,
    pub(crate) services: Services,
}

/// What answers the requests of a connection.
#[derive(Clone)]
pub(crate) enum Services {
    /// The admin API alone.
    Admin(Router),
    /// The partner API on every path that is not the router's.
    Partner {
        api: Arc<Api>,
        router: Router,
        admin: AdminPaths,
    },
}

/// Whether the admin API is served beside the partner API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdminPaths {
    Beside,
    Separate,
}

/// Serves until `stop` is done, then closes the sockets, lets requests in flight finish within
/// `grace`, and returns.
pub(crate) async fn serve(
    listeners: Vec<Listener>,
    stop: impl Future<Output = ()>,
    grace: Duration,
) -> std::io::Result<()> {
    let graceful = Arc::new(GracefulShutdown::new());
    let cap = connection_cap();
    let room = Arc::new(Semaphore::new(cap));
    let (open, closing) = watch::channel(());
    let mut accepting = Vec::new();
    for Listener { socket, handler } in listeners {
        let listener = tokio::net::TcpListener::from_std(socket)?;
        let state = ServerState {
            cap,
            room: Arc::clone(&room),
            graceful: Arc::clone(&graceful),
            closing: closing.clone(),
        };
        accepting.push(tokio::spawn(accept(listener, handler, state)));
    }
    stop.await;
    drop(open);
    for listening in accepting {
        listening.abort();
        // The socket is closed once the task is gone, not when it is told to go.
        let _ = listening.await;
    }
    if let Some(graceful) = Arc::into_inner(graceful) {
        let _ = tokio::time::timeout(grace, graceful.shutdown()).await;
    }
    Ok(())
}

#[cfg(unix)]
fn connection_cap() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let room = limit.map_or(u64::MAX, |limit| limit.saturating_sub(RESERVE).max(1));
    usize::try_from(room).map_or(CONNECTION_CAP, |room| room.min(CONNECTION_CAP))
}

#[cfg(not(unix))]
fn connection_cap() -> usize {
    CONNECTION_CAP
}

/// Lets this process have as many descriptors as it may: the usual limit is below the cap on connections.
pub(crate) fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        let limit = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: limit.maximum,
            ..limit
        };
        // Where it stays, the cap follows it.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}

/// What all connections share.
struct ServerState {
    cap: usize,
    room: Arc<Semaphore>,
    graceful: Arc<GracefulShutdown>,
    /// Ends when the server does.
    closing: watch::Receiver<()>,
}

impl ServerState {
    /// What a connection that comes now may hold.
    fn buffer(&self) -> usize {
        match self.cap - self.room.available_permits() > FEW {
            true => CROWDED_BUFFER,
            false => BUFFER,
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, handler: Handler, state: ServerState) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let Ok(seat) = Arc::clone(&state.room).try_acquire_owned() else {
            if handler.tls.is_none() {
                // Best effort: the connection is closed either way.
                let _ = stream.try_write(TOO_MANY_CONNECTIONS);
            }
            continue;
        };
        let handler = handler.clone();
        let connection = Connection {
            closing: state.closing.clone(),
            watcher: state.graceful.watcher(),
            buffer: state.buffer(),
        };
        tokio::spawn(async move {
            receive(stream, handler, connection).await;
            drop(seat);
        });
    }
}

/// What a connection has from the server.
struct Connection {
    /// Ends when the server does.
    closing: watch::Receiver<()>,
    /// Lets it end gracefully.
    watcher: Watcher,
    /// Bytes that it may hold.
    buffer: usize,
}

/// Takes a connection in, through the handshake where TLS is spoken.
async fn receive(stream: TcpStream, handler: Handler, connection: Connection) {
    let Ok(address) = stream.local_addr() else {
        return;
    };
    // Answers are written whole; waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let reset_switch = Arc::new(ResetSwitch::default());
    let io = ConnectionIo::new(stream, Arc::clone(&reset_switch));
    let (stream, scheme, certificate) = match handler.tls {
        None => (MaybeTls::Plain(io), Scheme::Http, Certificate::Right),
        // In a box, so that connections without TLS need no room for it.
        Some(tls) => match Box::pin(secured(&tls, io, connection.closing.clone())).await {
            Some(shaken) => (
                MaybeTls::Secured(Box::new(shaken.stream)),
                Scheme::Https,
                shaken.certificate,
            ),
            None => return,
        },
    };
    let arrived_on = ArrivedOn {
        address,
        scheme,
        certificate,
    };
    converse(
        stream,
        reset_switch,
        arrived_on,
        handler.services,
        connection,
    )
    .await;
}

/// The connection behind its handshake; none where that fails, takes too long, or the server ends.
async fn secured(
    tls: &Terminator,
    io: ConnectionIo,
    mut closing: watch::Receiver<()>,
) -> Option<Handshake> {
    let mut handshake = pin!(tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(io)));
    let mut closed = pin!(closing.changed());
    let shaken = std::future::poll_fn(|context| {
        if closed.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        handshake.as_mut().poll(context).map(Some)
    });
    shaken.await?.ok()?.ok()
}

/// Answers the requests of one connection, until either side ends it.
async fn converse(
    stream: MaybeTls,
    reset_switch: Arc<ResetSwitch>,
    arrived_on: ArrivedOn,
    services: Services,
    connection: Connection,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (services, reset_switch) = (services.clone(), Arc::clone(&reset_switch));
        async move {
            match services.partner_api(request.uri().path()) {
                Some(api) => deliver(api.answer(request, arrived_on).await, &reset_switch),
                None => Ok(services
                    .routed(request, arrived_on)
                    .await
                    .map(Either::Right)),
            }
        }
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        // A call that came in whole is processed, also when its sender does not wait any more.
        .half_close(true)
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(connection.buffer)
        .serve_connection(TokioIo::new(stream), service);
    // An error here is a client that went away, or a fault that did what it was asked for.
    let _ = connection.watcher.watch(conversation).await;
}

impl Services {
    /// The partner API, where a path is its to answer.
    fn partner_api(&self, path: &str) -> Option<&Api> {
        let Self::Partner { api, admin, .. } = self else {
            return None;
        };
        let is_admin = *admin == AdminPaths::Beside
            && path
                .strip_prefix("/_mock")
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        (!is_admin && path != documents::PATH).then_some(&**api)
    }

    /// All of it as one router, for calls without a network.
    pub(crate) fn into_router(self) -> Router {
        let (api, router) = match self {
            Self::Admin(router) => return router,
            Self::Partner { api, router, .. } => (api, router),
        };
        router.fallback(move |request: Request<Body>| {
            let api = Arc::clone(&api);
            async move {
                let answer = deliver(
                    api.answer(request, ArrivedOn::nowhere()).await,
                    &ResetSwitch::default(),
                );
                // There is no connection to drop: who reads the body is told.
                answer.map_or_else(
                    |HungUp| Response::new(Body::new(Half::of(&Bytes::new()))),
                    |answer| answer.map(Body::new),
                )
            }
        })
    }

    async fn routed(
        &self,
        mut request: Request<Incoming>,
        arrived_on: ArrivedOn,
    ) -> Response<Body> {
        let (Self::Admin(router) | Self::Partner { router, .. }) = self;
        request.extensions_mut().insert(arrived_on);
        let answer = TowerToHyperService::new(router.clone()).call(request).await;
        let Ok(response) = answer;
        response
    }
}

/// An answer of the partner API is at hand whole; the router's may come in pieces.
type Answer = Response<Either<Full<Bytes>, Body>>;

/// Hands the answer on, or ends the connection the way a fault asked for.
fn deliver(outcome: CallOutcome, reset_switch: &ResetSwitch) -> Result<Answer, HungUp> {
    match outcome {
        CallOutcome::Answer(reply) => Ok(Response::from(reply).map(Either::Left)),
        CallOutcome::Half(reply) => {
            let half = Body::new(Half::of(&reply.body));
            let whole: Response<Full<Bytes>> = reply.into();
            Ok(whole.map(|_| Either::Right(half)))
        }
        CallOutcome::Nothing { how, .. } => {
            if how == CloseMode::Reset {
                reset_switch.arm();
            }
            Err(HungUp)
        }
    }
}

#[cfg(all(test, feature = "tls"))]
mod tests {
    use std::net::SocketAddr;

    use tokio::time::Instant;

    use super::*;
    use crate::configuration::settings::{Settings, TlsSettings};
    use crate::connection::tls::Authority;
    use crate::mock::Mock;

    #[tokio::test(start_paused = true)]
    async fn who_never_shakes_hands_is_not_waited_for_without_end() {
        let any: SocketAddr = ([127, 0, 0, 1], 0).into();
        let mock = Arc::new(Mock::open(Settings::on_a_free_port()).expect("a mock"));
        let settings = TlsSettings {
            listen: any.into(),
            dir: None,
            port_file: None,
        };
        let authority = Authority::of(&settings).expect("an authority");
        let tls =
            Terminator::new(&mock.accounts, authority).expect("names that a certificate can have");
        let listener = tokio::net::TcpListener::bind(any).await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (_client, (stream, _)) = (client.expect("a client"), accepted.expect("a stream"));
        let (_open, closing) = watch::channel(());
        let start = Instant::now();
        let io = ConnectionIo::new(stream, Arc::default());
        assert!(secured(&tls, io, closing).await.is_none());
        assert!(start.elapsed() >= HANDSHAKE_TIMEOUT);
    }
}

//! The way from a listening socket to the router and back: time-outs, a cap on connections,
//! a graceful end, and the broken connections that faults ask for.

mod hangup;
mod wire;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
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
use tokio::sync::Semaphore;

use crate::http::{Api, Ending};
use crate::openapi;
pub(crate) use hangup::Hangup;
use hangup::{Half, HungUp};
use wire::{Fate, Wire};

/// Connections beyond this many, or beyond what the limit on descriptors leaves room for, are answered 503 and closed.
const CONNECTION_CAP: usize = 4096;

/// Descriptors that are no connections': files, sockets that listen, and one to say 503 on.
#[cfg(unix)]
const RESERVE: u64 = 64;

/// How long a client may take to send a request's head, and how long an idle connection is kept.
/// Longer than the 90 s after which common clients drop an idle connection themselves: so the
/// client closes first, and never sends into a connection that the server is just closing.
const HEAD_TIMEOUT: Duration = Duration::from_secs(100);

/// Pause after the system refused a connection (out of file descriptors), so as not to spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A bound socket and what answers behind it.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
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
    Elsewhere,
}

/// The address that a connection came in on; in the extensions of the requests that the router answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivedOn(pub(crate) SocketAddr);

/// Serves until `stop` is done, then closes the sockets, lets requests in flight finish within
/// `grace`, and returns.
pub(crate) async fn serve(
    doors: Vec<Door>,
    stop: impl Future<Output = ()>,
    grace: Duration,
) -> std::io::Result<()> {
    let graceful = Arc::new(GracefulShutdown::new());
    let room = Arc::new(Semaphore::new(connection_cap()));
    let mut accepting = Vec::new();
    for Door { listener, services } in doors {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        accepting.push(tokio::spawn(accept(
            listener,
            services,
            Arc::clone(&graceful),
            Arc::clone(&room),
        )));
    }
    stop.await;
    for door in accepting {
        door.abort();
        // The socket is closed once the task is gone, not when it is told to go.
        let _ = door.await;
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

async fn accept(
    listener: tokio::net::TcpListener,
    services: Services,
    graceful: Arc<GracefulShutdown>,
    room: Arc<Semaphore>,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let Ok(seat) = Arc::clone(&room).try_acquire_owned() else {
            // Best effort: the connection is closed either way.
            let _ = stream.try_write(TOO_MANY_CONNECTIONS);
            continue;
        };
        let services = services.clone();
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            converse(stream, services, watcher).await;
            drop(seat);
        });
    }
}

/// Answers the requests of one connection, until either side ends it.
async fn converse(stream: TcpStream, services: Services, watcher: Watcher) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Answers are written whole; waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let fate = Arc::new(Fate::default());
    let wire = Wire::new(stream, Arc::clone(&fate));
    let service = service_fn(move |request: Request<Incoming>| {
        let (services, fate) = (services.clone(), Arc::clone(&fate));
        async move {
            match services.partner_api(request.uri().path()) {
                Some(api) => deliver(api.answer(request, local).await, &fate),
                None => Ok(services.routed(request, local).await.map(Either::Right)),
            }
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A call that came in whole is processed, also when its sender does not wait any more.
        .half_close(true)
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(wire), service);
    // An error here is a client that went away, or a fault that did what it was asked for.
    let _ = watcher.watch(connection).await;
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
        (!is_admin && path != openapi::PATH).then_some(&**api)
    }

    /// All of it as one router, for calls without a network.
    pub(crate) fn into_router(self) -> Router {
        let (api, router) = match self {
            Self::Admin(router) => return router,
            Self::Partner { api, router, .. } => (api, router),
        };
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        router.fallback(move |request: Request<Body>| {
            let api = Arc::clone(&api);
            async move {
                let answer = deliver(api.answer(request, nowhere).await, &Fate::default());
                // There is no connection to drop: who reads the body is told.
                answer.map_or_else(
                    |HungUp| Response::new(Body::new(Half::of(&Bytes::new()))),
                    |answer| answer.map(Body::new),
                )
            }
        })
    }

    async fn routed(&self, mut request: Request<Incoming>, local: SocketAddr) -> Response<Body> {
        let (Self::Admin(router) | Self::Partner { router, .. }) = self;
        request.extensions_mut().insert(ArrivedOn(local));
        let answer = TowerToHyperService::new(router.clone()).call(request).await;
        let Ok(response) = answer;
        response
    }
}

/// An answer of the partner API is at hand whole; the router's may come in pieces.
type Answer = Response<Either<Full<Bytes>, Body>>;

/// Hands the answer on, or ends the connection the way a fault asked for.
fn deliver(ending: Ending, fate: &Fate) -> Result<Answer, HungUp> {
    match ending {
        Ending::Answer(reply) => Ok(Response::from(reply).map(Either::Left)),
        Ending::Half(reply) => {
            let half = Body::new(Half::of(&reply.body));
            let whole: Response<Full<Bytes>> = reply.into();
            Ok(whole.map(|_| Either::Right(half)))
        }
        Ending::Nothing { how, .. } => {
            if how == Hangup::Reset {
                fate.reset();
            }
            Err(HungUp)
        }
    }
}

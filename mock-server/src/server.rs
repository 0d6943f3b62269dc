//! The way from a listening socket to the router and back: time-outs, a cap on connections,
//! a graceful end, and the broken connections that faults ask for.

mod hangup;
mod wire;

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::Request;
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

pub(crate) use hangup::Hangup;
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
    pub(crate) router: Router,
}

/// The address that a connection came in on; in every request's extensions.
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
    for Door { listener, router } in doors {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        accepting.push(tokio::spawn(accept(
            listener,
            router,
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
    router: Router,
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
        let router = router.clone();
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            converse(stream, router, watcher).await;
            drop(seat);
        });
    }
}

/// Answers the requests of one connection, until either side ends it.
async fn converse(stream: TcpStream, router: Router, watcher: Watcher) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Answers are written whole; waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let fate = Arc::new(Fate::default());
    let wire = Wire::new(stream, Arc::clone(&fate));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ArrivedOn(local));
        let answer = router.call(request);
        let fate = Arc::clone(&fate);
        async move { deliver(answer.await, &fate) }
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

/// Hands the answer on, or ends the connection the way a fault asked for.
fn deliver(
    answer: Result<Response, Infallible>,
    fate: &Fate,
) -> Result<http::Response<Body>, hangup::HungUp> {
    let Ok(mut response) = answer;
    match response.extensions_mut().remove::<Hangup>() {
        None => Ok(response),
        Some(Hangup::Close) => Err(hangup::HungUp),
        Some(Hangup::Reset) => {
            fate.reset();
            Err(hangup::HungUp)
        }
        Some(Hangup::MidBody) => hangup::cut(response),
    }
}

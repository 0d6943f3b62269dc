//! A proxy that bends what passes through it: the deliberately wrong server that shows what the suite notices.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon_contract_tests::target;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::deviation::Deviation;
use crate::message::{Answer, Passing};

/// The service behind the proxy, and what its bend remembers.
pub struct Behind {
    origin: String,
    transport: HttpTransport,
    /// What a bend keeps from one call to the next, as JSON.
    kept: Mutex<BTreeMap<String, String>>,
    /// Told when somebody counts.
    pub counted: Condvar,
    /// How many calls and answers were bent.
    bent: AtomicUsize,
    trouble: Mutex<Vec<String>>,
}

impl Behind {
    /// The service's answer; none when it gave none.
    pub async fn answer(&self, call: &Passing) -> Option<Answer> {
        let target = target(&call.path, &call.query);
        let address: Uri = format!("{}{target}", self.origin).parse().ok()?;
        let mut request = Request::new(call.body.clone());
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = address;
        *request.headers_mut() = call.headers.clone();
        request.headers_mut().remove(CONTENT_LENGTH);
        let (parts, body) = self.transport.send(request).await.ok()?.into_parts();
        let mut headers = parts.headers;
        for own in [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION] {
            headers.remove(own);
        }
        Some(Answer {
            status: parts.status,
            headers,
            body,
        })
    }

    /// What is kept, for one who reads and writes it undisturbed.
    pub fn kept(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what was not as it came.
    pub fn bent(&self, is: bool) {
        self.bent.fetch_add(is.into(), Ordering::Relaxed);
    }

    /// What programs could not do.
    pub fn troubles(&self) -> MutexGuard<'_, Vec<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running proxy; dropping it closes its port.
pub struct Proxy {
    url: String,
    behind: Arc<Behind>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Proxy {
    /// Starts one on a free port of loopback.
    pub fn start(origin: &str, bend: Deviation) -> Self {
        let listener = StdListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let behind = Arc::new(Behind {
            origin: origin.to_owned(),
            transport: HttpTransport::new(&HttpOptions::default()),
            kept: Mutex::default(),
            counted: Condvar::new(),
            bent: AtomicUsize::new(0),
            trouble: Mutex::default(),
        });
        let serving = Arc::clone(&behind);
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    _ = stopped => {}
                    () = serve(listener, serving, bend) => {}
                }
            });
        });
        Self {
            url,
            behind,
            running: Some((stop, thread)),
        }
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many calls and answers were not as they came.
    pub fn bent(&self) -> usize {
        self.behind.bent.load(Ordering::Relaxed)
    }

    /// What its bend could not do, for one who tells it in their own way.
    pub fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.behind.troubles())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            // Either of them may be gone already.
            let _ = stop.send(());
            let _ = thread.join();
        }
        let troubles = self.troubles();
        assert!(thread::panicking() || troubles.is_empty(), "{troubles:?}");
    }
}

async fn serve(listener: TcpListener, behind: Arc<Behind>, bend: Deviation) {
    while let Ok((stream, _)) = listener.accept().await {
        let (behind, bend) = (Arc::clone(&behind), bend.clone());
        let service = service_fn(move |request| pass(request, Arc::clone(&behind), bend.clone()));
        // A connection that ends in an error is the client's to notice.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// An error closes the connection, as the service behind did.
async fn pass(
    request: Request<Incoming>,
    behind: Arc<Behind>,
    bend: Deviation,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let lost = || std::io::Error::other("no answer");
    let (parts, body) = request.into_parts();
    let call = Passing {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: pairs(parts.uri.query().unwrap_or_default()),
        headers: parts.headers,
        body: body.collect().await.map_err(|_| lost())?.to_bytes(),
    };
    let answer = bend.answer(call, behind).await.ok_or_else(lost)?;
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    Ok(response)
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    let pairs = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

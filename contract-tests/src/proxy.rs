//! A proxy that bends what passes through it: the deliberately broken server that shows what the suite notices.

use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use secmon::transport::{BoxFuture, HttpOptions, HttpTransport, Transport};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A call on its way to the service.
#[derive(Debug, Clone, PartialEq)]
pub struct Passing {
    /// The HTTP method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query's parameters, as written.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// An answer on its way back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// What a bend does.
#[derive(Clone, Copy)]
pub enum Bend {
    /// Changes calls before the service sees them.
    Call(fn(&mut Passing)),
    /// Changes answers before the client sees them.
    Answer(fn(&Passing, &mut Answer)),
    /// Answers some calls in place of the service, which never sees them.
    Instead(fn(&Passing) -> Option<Answer>),
    /// Does what it likes, with more calls of its own.
    Whole(fn(Passing, Arc<Behind>) -> BoxFuture<'static, Option<Answer>>),
}

/// The service behind the proxy.
pub struct Behind {
    origin: String,
    transport: HttpTransport,
    /// What a bend keeps from one call to the next.
    pub memory: Mutex<Value>,
    /// How many calls and answers were bent.
    bent: AtomicUsize,
}

impl Passing {
    /// Whether it is a call with this method at a path that ends so.
    pub fn is(&self, method: Method, ending: &str) -> bool {
        self.method == method && self.path.ends_with(ending)
    }

    /// Whether it reads, changes or deletes one record of a group, as in `/api/v1/endpoints/{id}`.
    pub fn is_one_of(&self, method: Method, group: &str) -> bool {
        let id = self
            .path
            .strip_prefix(group)
            .and_then(|rest| rest.strip_prefix('/'));
        self.method == method && id.is_some_and(|id| !id.contains('/'))
    }

    /// The JSON body; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Another body.
    pub fn set_json(&mut self, body: &Value) {
        self.body = body.to_string().into();
    }

    /// Without a parameter of the query.
    pub fn forget(&mut self, parameter: &str) {
        self.query.retain(|(name, _)| name != parameter);
    }

    fn target(&self) -> String {
        let pairs = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        match pairs.collect::<Vec<_>>().join("&") {
            query if query.is_empty() => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }
}

impl Answer {
    /// An answer with a JSON body.
    pub fn new(status: u16, body: &Value) -> Self {
        Self {
            status: StatusCode::from_u16(status).expect("a status"),
            headers: HeaderMap::from_iter([(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static("application/json"),
            )]),
            body: match body {
                Value::Null => Bytes::new(),
                body => body.to_string().into(),
            },
        }
    }

    /// The JSON body; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Changes the JSON body.
    pub fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let mut json = self.json();
        change(&mut json);
        self.body = json.to_string().into();
    }
}

impl Behind {
    /// The service's answer; none when it gave none.
    pub async fn answer(&self, call: &Passing) -> Option<Answer> {
        let address: Uri = format!("{}{}", self.origin, call.target()).parse().ok()?;
        let mut request = Request::new(call.body.clone());
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = address;
        *request.headers_mut() = call.headers.clone();
        request.headers_mut().remove(header::CONTENT_LENGTH);
        let (parts, body) = self.transport.send(request).await.ok()?.into_parts();
        let mut headers = parts.headers;
        for own in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::CONNECTION,
        ] {
            headers.remove(own);
        }
        Some(Answer {
            status: parts.status,
            headers,
            body,
        })
    }

    /// Keeps a value; gives the one that was kept under the name before.
    pub fn keep(&self, name: &str, value: Value) -> Value {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let before = memory[name].take();
        memory[name] = value;
        before
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
    ///
    /// # Panics
    /// When the system has no port or thread to give.
    pub fn start(origin: &str, bend: Bend) -> Self {
        let listener = StdListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let behind = Arc::new(Behind {
            origin: origin.to_owned(),
            transport: HttpTransport::new(&HttpOptions::default()),
            memory: Mutex::new(Value::Object(serde_json::Map::new())),
            bent: AtomicUsize::new(0),
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
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            // Either of them may be gone already.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, behind: Arc<Behind>, bend: Bend) {
    while let Ok((stream, _)) = listener.accept().await {
        let behind = Arc::clone(&behind);
        let service = service_fn(move |request| pass(request, Arc::clone(&behind), bend));
        // A connection that ends in an error is the client's to notice.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// An error closes the connection, as the service behind did.
async fn pass(
    request: Request<Incoming>,
    behind: Arc<Behind>,
    bend: Bend,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let lost = || std::io::Error::other("no answer");
    let (parts, body) = request.into_parts();
    let mut call = Passing {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: pairs(parts.uri.query().unwrap_or_default()),
        headers: parts.headers,
        body: body.collect().await.map_err(|_| lost())?.to_bytes(),
    };
    let bent = |is: bool| behind.bent.fetch_add(is.into(), Ordering::Relaxed);
    let answer = match bend {
        Bend::Call(change) => {
            let came = call.clone();
            change(&mut call);
            bent(call != came);
            behind.answer(&call).await
        }
        Bend::Answer(change) => behind.answer(&call).await.map(|mut answer| {
            let came = answer.clone();
            change(&call, &mut answer);
            bent(answer != came);
            answer
        }),
        Bend::Instead(answer) => match answer(&call) {
            Some(answer) => {
                bent(true);
                Some(answer)
            }
            None => behind.answer(&call).await,
        },
        Bend::Whole(whole) => {
            bent(true);
            whole(call, Arc::clone(&behind)).await
        }
    };
    let answer = answer.ok_or_else(lost)?;
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

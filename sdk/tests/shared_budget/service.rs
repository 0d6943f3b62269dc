//! A service that counts in fixed windows, each opened by the first request that counts in it.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::{LIMIT, WINDOW};

pub const ENDPOINT: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

#[derive(Default)]
pub struct Counts {
    opened: Option<Instant>,
    /// The requests of each window, oldest first.
    pub windows: Vec<u32>,
    /// The requests that met a full window.
    pub refused: u32,
}

/// The HTTP server and what it counted.
pub struct Service {
    server: MockServer,
    counts: Arc<Mutex<Counts>>,
}

impl Service {
    pub async fn start() -> Self {
        let counts = Arc::<Mutex<Counts>>::default();
        let server = MockServer::start().await;
        Mock::given(any())
            .respond_with(Counting(counts.clone()))
            .mount(&server)
            .await;
        Self { server, counts }
    }

    pub fn url(&self) -> String {
        self.server.uri()
    }

    pub fn counts(self) -> Counts {
        std::mem::take(&mut *self.counts.lock().expect("counts"))
    }
}

struct Counting(Arc<Mutex<Counts>>);

impl Respond for Counting {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let mut counts = self.0.lock().expect("counts");
        let now = Instant::now();
        if counts.opened.is_none_or(|opened| now >= opened + WINDOW) {
            counts.opened = Some(now);
            counts.windows.push(0);
        }
        let counted = counts.windows.last_mut().expect("an open window");
        if *counted == LIMIT {
            counts.refused += 1;
            return ResponseTemplate::new(429).insert_header("retry-after", "1");
        }
        *counted += 1;
        ResponseTemplate::new(200).set_body_json(serde_json::json!({
            "success": true,
            "data": {"endpoint_id": ENDPOINT, "status": "paused"},
            "meta": {"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"}
        }))
    }
}

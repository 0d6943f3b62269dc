//! What the tests share: a scripted client, sample records, a socket that answers anything.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use secmon::model::{CustomerId, EndpointId, Money, PortAlertId, RuleId};
use secmon::testing::MockTransport;
use secmon::{ApiKey, Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const KEY: &str = "canary_k7Qz0pLw9XvT3mNb";
pub const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
pub const OTHER_ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

pub fn key() -> ApiKey {
    ApiKey::new(KEY).expect("a good key")
}

pub fn builder(script: &Arc<MockTransport>) -> ClientBuilder {
    Client::builder("https://portal.example.com", key()).transport(script.clone())
}

/// A client that answers from the script, and the script.
pub fn scripted() -> (Client, Arc<MockTransport>) {
    let script = MockTransport::new();
    let client = builder(&script).build().expect("a client");
    (client, script)
}

/// The same, with a client that sends every call once.
pub fn scripted_once() -> (Client, Arc<MockTransport>) {
    let script = MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .with(|calls| calls.queue_timeout(Duration::ZERO))
        .build();
    (client.expect("a client"), script)
}

pub fn client_of(url: &str) -> Client {
    Client::builder(url, key())
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client")
}

pub fn customer() -> CustomerId {
    CustomerId::try_from(42).expect("a customer")
}

pub fn endpoint_id() -> EndpointId {
    ID.parse().expect("an id")
}

pub fn rule_id() -> RuleId {
    ID.parse().expect("an id")
}

pub fn alert_id() -> PortAlertId {
    ID.parse().expect("an id")
}

pub fn endpoint() -> Value {
    json!({
        "id": ID, "ip_address": "203.0.113.10", "hostname": "web-1.example.com", "nickname": "web-1",
        "platform": null, "status": "active", "nmap_cooldown_seconds": 300, "last_scan_at": null,
        "next_scan_at": "2026-01-01T00:00:00+00:00", "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00", "billing_customer_id": 42
    })
}

pub fn success(data: Value) -> String {
    json!({"success": true, "data": data, "meta": {"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"}})
        .to_string()
}

pub fn resource(data: Value) -> String {
    json!({"data": data, "meta": {"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"}})
        .to_string()
}

pub fn failure(code: Value, message: &str, details: Value) -> String {
    json!({
        "success": false,
        "error": {"code": code, "message": message, "details": details},
        "meta": {"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"}
    })
    .to_string()
}

pub fn paused() -> String {
    success(json!({"endpoint_id": ID, "status": "paused"}))
}

pub fn with_retry_after(
    status: StatusCode,
    seconds: &str,
    body: &str,
) -> http::Response<bytes::Bytes> {
    http::Response::builder()
        .status(status)
        .header("retry-after", seconds)
        .body(body.to_owned().into())
        .expect("a response")
}

/// A server that reads the head of one request on each connection, writes these bytes and closes.
pub async fn answering_with(bytes: impl Into<Vec<u8>>) -> String {
    let bytes = bytes.into();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            if read_head(&mut socket).await.is_none() {
                return;
            }
            // The client may have gone away on purpose.
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
    });
    url
}

/// Reads a request to the end of its head; none when the client is gone before.
pub async fn read_head(socket: &mut TcpStream) -> Option<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = socket.read_buf(&mut request).await.ok()?;
        (read > 0).then_some(())?;
    }
    Some(())
}

pub fn money(text: &str) -> Money {
    text.parse().expect("an amount")
}

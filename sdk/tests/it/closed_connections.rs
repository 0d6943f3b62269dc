//! Servers that close a connection which the client still holds: what a call claims of its request is true (F5).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use secmon::Delivery;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::support::*;

/// What the server does with a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Closes {
    /// After each answer, which does not say so.
    AfterTheAnswer,
    /// Once it has read a request.
    AfterTheRequest,
    /// At once, whatever comes.
    BeforeTheRequest,
}

/// A server that closes connections, and counts the requests that it has read.
async fn closing(closes: Closes) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = Arc::new(AtomicUsize::new(0));
    let seen = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            if closes == Closes::BeforeTheRequest || read_head(&mut socket).await.is_none() {
                continue;
            }
            seen.fetch_add(1, Ordering::SeqCst);
            if closes == Closes::AfterTheAnswer {
                let scan = json!({"scan_id": ID, "status": "pending", "cooldown_seconds": 300});
                let body = success(scan);
                let head = "HTTP/1.1 202 Accepted\r\ncontent-type: application/json";
                let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        }
    });
    (url, requests)
}

/// Calls that must not act twice, one after the other, each compared with what the server saw of it.
async fn deliveries(closes: Closes) -> Vec<Option<Delivery>> {
    let (url, requests) = closing(closes).await;
    let client = client_of(&url);
    let mut ended = Vec::new();
    for _ in 0..50 {
        let before = requests.load(Ordering::SeqCst);
        let scanned = client.servers().scan(customer(), endpoint_id()).await;
        let delivery = scanned.err().map(|error| error.delivery());
        let seen = requests.load(Ordering::SeqCst) - before;
        assert!(seen <= 1, "sent twice: {delivery:?}");
        if delivery == Some(Delivery::NotSent) {
            assert_eq!(seen, 0, "the server has read what was called not sent");
        }
        ended.push(delivery);
    }
    ended
}

#[tokio::test]
async fn a_connection_that_the_server_closes_after_each_answer_costs_no_call() {
    let ended = deliveries(Closes::AfterTheAnswer).await;
    let well = ended.iter().filter(|delivery| delivery.is_none()).count();
    // Where the end of the connection is not seen before the next request is written, nobody knows what became of that.
    assert!(well > 10, "only {well} of 50 calls ended well: {ended:?}");
    assert!(!ended.contains(&Some(Delivery::Answered)), "{ended:?}");
}

#[tokio::test]
async fn a_request_that_was_read_and_not_answered_may_have_acted() {
    let ended = deliveries(Closes::AfterTheRequest).await;
    let maybe = Some(Delivery::Maybe);
    assert!(ended.iter().all(|delivery| *delivery == maybe), "{ended:?}");
}

#[tokio::test]
async fn a_connection_that_is_closed_at_once_is_never_an_answer() {
    let ended = deliveries(Closes::BeforeTheRequest).await;
    let unanswered = [Some(Delivery::NotSent), Some(Delivery::Maybe)];
    assert!(
        ended.iter().all(|end| unanswered.contains(end)),
        "{ended:?}"
    );
}

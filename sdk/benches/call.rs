//! What a call costs: instructions of the client against reqwest with `.json::<T>()` on the same answers, counted by
//! callgrind, and the time to build a client.
//!
//! `cargo bench -p secmon --profile dist --bench call`, with valgrind installed. The program starts itself below callgrind, twice for
//! each figure: the difference between many calls and few leaves start-up out.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use secmon::model::{Endpoint, EndpointDetail, EndpointId, EndpointPage};
use secmon::operations::{GetEndpoint, GetEndpointDetail, ListEndpoints};
use secmon::{ApiKey, Client};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const KEY: &str = "benchmark_key";
const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
const FEW: u64 = 50;
const MANY: u64 = 250;
/// The answers that are compared, by the name the program passes to itself.
const READS: [&str; 3] = ["one server", "a server in detail", "a page of 100 servers"];
const SIDES: [&str; 2] = ["secmon", "reqwest"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.as_slice() {
        [_, side, read, address, calls] => {
            let calls = calls.parse().expect("a number of calls");
            runtime().block_on(make_calls(side, read, address, calls));
        }
        _ => report(),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn report() {
    let address = serve();
    println!("| answer | secmon | reqwest | ratio |\n| --- | --- | --- | --- |");
    for read in READS {
        let [ours, theirs] = SIDES.map(|side| instructions_a_call(side, read, &address));
        let ratio = ours as f64 / theirs as f64;
        println!("| {read} | {ours} | {theirs} | {ratio:.3} |");
    }
    println!(
        "\nbuilding a client: {:?} (median)",
        time_to_build(&address)
    );
}

fn instructions_a_call(side: &str, read: &str, address: &str) -> u64 {
    let [few, many] = [FEW, MANY].map(|calls| instructions(side, read, address, calls));
    (many - few) / (MANY - FEW)
}

/// Instructions of one whole process that makes so many calls.
fn instructions(side: &str, read: &str, address: &str, calls: u64) -> u64 {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([side, read, address, &calls.to_string()])
        .output()
        .expect("valgrind is installed");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text.lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, count)| count.trim().parse().ok())
        .expect("callgrind's count")
}

fn time_to_build(address: &str) -> Duration {
    let mut times: Vec<Duration> = (0..1001)
        .map(|_| {
            let started = Instant::now();
            let client = client_of(address);
            let elapsed = started.elapsed();
            drop(client);
            elapsed
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// With the pacer at work, but never in the way.
fn client_of(address: &str) -> Client {
    Client::builder(address, ApiKey::new(KEY).expect("a key"))
        .rate_limits(u32::MAX, u32::MAX, Duration::from_secs(60))
        .build()
        .expect("a client")
}

async fn make_calls(side: &str, read: &str, address: &str, calls: u64) {
    match side {
        "secmon" => call_with_secmon(&client_of(address), read, calls).await,
        _ => call_with_reqwest(read, address, calls).await,
    }
}

async fn call_with_secmon(client: &Client, read: &str, calls: u64) {
    let id: EndpointId = ID.parse().expect("an id");
    for _ in 0..calls {
        match read {
            "one server" => drop(
                client
                    .send(GetEndpoint::account_wide(id))
                    .await
                    .expect("a server"),
            ),
            "a server in detail" => {
                drop(
                    client
                        .send(GetEndpointDetail::account_wide(id))
                        .await
                        .expect("a server"),
                );
            }
            _ => drop(
                client
                    .send(ListEndpoints::account_wide())
                    .await
                    .expect("a page"),
            ),
        }
    }
}

#[derive(Deserialize)]
struct Record {
    data: Endpoint,
}

async fn call_with_reqwest(read: &str, address: &str, calls: u64) {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(30))
        .no_proxy();
    #[cfg(feature = "tls")]
    let client = client.tls_backend_preconfigured(trusting_nobody());
    let client = client.build().expect("a client");
    let endpoints = format!("{address}/api/v1/endpoints");
    let one = format!("{endpoints}/{ID}");
    let detail = format!("{one}/detail");
    for _ in 0..calls {
        match read {
            "one server" => drop(get::<Record>(&client, &one).await.data),
            "a server in detail" => drop(get::<EndpointDetail>(&client, &detail).await),
            _ => drop(get::<EndpointPage>(&client, &endpoints).await),
        }
    }
}

async fn get<T: DeserializeOwned>(client: &reqwest::Client, address: &str) -> T {
    let request = client
        .get(address)
        .bearer_auth(KEY)
        .header("accept", "application/json")
        .header("user-agent", "benchmark");
    let answer = request.send().await.expect("an answer");
    let answer = answer.error_for_status().expect("a result");
    answer.json().await.expect("the type")
}

#[cfg(feature = "tls")]
fn trusting_nobody() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}

/// Serves the answers from this process, which callgrind does not count; gives the address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let connection = connection.expect("a connection");
            std::thread::spawn(move || answer_all(connection));
        }
    });
    address
}

fn answer_all(connection: TcpStream) {
    let mut writer = connection.try_clone().expect("the connection");
    let mut path = None;
    for line in BufReader::new(connection).lines().map_while(Result::ok) {
        if path.is_none() {
            path = line.split(' ').nth(1).map(str::to_owned);
        } else if line.is_empty() {
            let body = body_for(&path.take().unwrap_or_default()).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: nginx\r\n\
                 content-type: application/json\r\ncache-control: no-cache, private\r\n\
                 x-ratelimit-limit: 100\r\nx-ratelimit-remaining: 99\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            writer
                .write_all(format!("{head}{body}").as_bytes())
                .expect("written");
        }
    }
}

fn body_for(path: &str) -> Value {
    let meta = json!({"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"});
    if path.ends_with("/detail") {
        detail()
    } else if path.ends_with(ID) {
        json!({"data": endpoint(), "meta": meta})
    } else {
        json!({
            "data": (0..100).map(|_| endpoint()).collect::<Vec<_>>(),
            "links": {"first": "https://portal.example.com/api/v1/endpoints?page=1",
                "last": "https://portal.example.com/api/v1/endpoints?page=1", "prev": null, "next": null},
            "meta": {"current_page": 1, "per_page": 100, "total": 100, "last_page": 1, "endpoint_limit": 10000,
                "current_endpoint_count": 100, "status_counts": {"active": 100, "paused": 0}}
        })
    }
}

fn endpoint() -> Value {
    json!({
        "id": ID, "ip_address": "203.0.113.10", "hostname": "web-1.example.com", "nickname": "web-1",
        "platform": "Linux", "status": "active", "nmap_cooldown_seconds": 300,
        "last_scan_at": "2026-01-01T00:00:02+00:00", "next_scan_at": "2026-01-02T00:00:02+00:00",
        "created_at": "2026-01-01T00:00:00+00:00", "updated_at": "2026-01-01T00:00:02+00:00",
        "billing_customer_id": 42, "quota_paused": false
    })
}

fn detail() -> Value {
    let alert = |port: u16, service: &str| {
        json!({
            "id": ID, "port": port, "protocol": "tcp", "service": service, "severity": "medium",
            "risk_level": "medium", "status": "open", "title": format!("Port {port} is open"),
            "first_detected_at": "2026-01-01T00:00:02+00:00", "last_detected_at": "2026-01-01T00:00:02+00:00"
        })
    };
    json!({
        "data": endpoint(),
        "latest_scan": {"open_ports": [22, 80, 443, 8080], "status": "completed", "scan_duration_ms": 2000,
            "scanned_at": "2026-01-01T00:00:02+00:00"},
        "alerts": [alert(22, "ssh"), alert(8080, "http-alt")],
        "whitelisted_ports": ["80:tcp", "443:tcp"], "new_ports": [], "closed_ports": []
    })
}

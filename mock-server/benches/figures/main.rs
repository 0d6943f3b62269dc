//! Start to first answer, idle memory, and the cost of a call, beside a bare axum server started in
//! turn.
//!
//! `cargo bench -p secmon-mock --profile dist --bench figures` prints a table. The figures of two programs in the
//! same minute on the same machine can be compared; those of two machines cannot.

mod calls;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::{get, post};
use bytes::Bytes;
use http::StatusCode;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;

const ROUNDS: usize = 20;
const BARE: &str = "serve-bare-axum";
const PATH: &str = "/api/v1/health";

fn main() -> io::Result<()> {
    if std::env::args().any(|argument| argument == BARE) {
        return serve_bare();
    }
    let this = std::env::current_exe()?;
    let bare = || {
        let mut command = Command::new(&this);
        command.arg(BARE);
        command
    };
    let mock = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_secmon-mock"));
        command.args(["--listen", "127.0.0.1:0"]);
        command
    };
    let (mut of_bare, mut of_mock) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_bare.push(measured(bare())?);
        of_mock.push(measured(mock())?);
    }
    print("bare axum", &of_bare);
    print("secmon-mock", &of_mock);
    let unlimited = || {
        let mut command = mock();
        command.args(["--rate-limit", "off"]);
        command
    };
    calls::print(&bare, &unlimited)
}

/// The least server that axum can be: two paths, one thread, answers of the mock's size.
fn serve_bare() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("listening on http://{}", listener.local_addr()?);
        let router: Router<()> = Router::new()
            .route(PATH, get(|| async { "ok" }))
            .route(calls::READ, get(|| async { calls::SHOWN }))
            .route(
                calls::WRITE,
                post(|_: Bytes| async { (StatusCode::CREATED, calls::MADE) }),
            );
        loop {
            let (socket, _) = listener.accept().await?;
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                let connection = hyper::server::conn::http1::Builder::new();
                // A client that goes away is no trouble here.
                let _ = connection
                    .serve_connection(TokioIo::new(socket), service)
                    .await;
            });
        }
    })
}

/// What one start of a program showed.
struct Sample {
    to_first_answer: Duration,
    /// Resident memory once it has answered and is idle; none where the system does not tell.
    resident_kib: Option<u64>,
}

fn measured(program: Command) -> io::Result<Sample> {
    let start = Instant::now();
    let mut child = started(program)?;
    let sample = first_answer(&mut child).map(|_| Sample {
        to_first_answer: start.elapsed(),
        resident_kib: resident_kib(child.id()),
    });
    child.kill()?;
    child.wait()?;
    sample
}

/// Starts a server; what it says to a newcomer is not for this table.
fn started(mut program: Command) -> io::Result<Child> {
    program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Waits until a server answers; its address.
fn first_answer(child: &mut Child) -> io::Result<String> {
    let out = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let address = line
        .trim_end()
        .strip_prefix("listening on http://")
        .ok_or_else(|| io::Error::other(format!("it did not listen, it said: {line}")))?;
    let mut stream = TcpStream::connect(address)?;
    let request = format!("GET {PATH} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.starts_with("HTTP/1.1 200") {
        Ok(address.to_owned())
    } else {
        Err(io::Error::other(format!("no answer, but: {answer}")))
    }
}

fn resident_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn print(name: &str, samples: &[Sample]) {
    let start = median(samples.iter().map(|sample| sample.to_first_answer));
    let memory = median(samples.iter().filter_map(|sample| sample.resident_kib));
    let start = start.map_or(f64::NAN, |start| start.as_secs_f64() * 1000.0);
    let memory = memory.map_or(f64::NAN, |kib| kib as f64 / 1024.0);
    println!("{name:<12} {start:>8.2} ms to the first answer {memory:>8.2} MiB resident");
}

fn median<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    let middle = values.len() / 2;
    values.into_iter().nth(middle)
}

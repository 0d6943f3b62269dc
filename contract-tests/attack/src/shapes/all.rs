//! The shapes.

use super::Due::{Either, Refused, Served};
use super::{Due, Shape};
use crate::mock::KEY;

const HEALTH: &str = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
const MEBIBYTE: usize = 1 << 20;

fn shape(name: impl Into<String>, due: Due, bytes: impl Into<Vec<u8>>) -> Shape {
    Shape { name: name.into(), pieces: vec![bytes.into()], due }
}

/// A shape for each of these, refused.
fn each(what: &str, of: &[&str], bytes: impl Fn(&str) -> String) -> Vec<Shape> {
    of.iter().map(|one| shape(format!("{what} {one:.30?}"), Refused, bytes(one))).collect()
}

/// A provisioning call with these header lines and this body, which is no good one.
fn provision(headers: &str, body: &str) -> String {
    let head = format!("POST /api/v1/billing/provision HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n");
    format!("{head}Connection: close\r\n{headers}\r\n\r\n{body}")
}

fn get(target: &str, lines: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n\r\n")
}

fn pieces(text: &str, size: usize) -> Vec<Vec<u8>> {
    text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect()
}

pub(super) fn sequences() -> Vec<Shape> {
    let inner = format!("Content-Length: {}\r\n\r\n{HEALTH}", HEALTH.len());
    vec![
        Shape { name: "a byte at a time".to_owned(), pieces: pieces(HEALTH, 1), due: Served(1) },
        Shape { name: "100 cut in odd places".to_owned(), pieces: pieces(&HEALTH.repeat(100), 7), due: Served(100) },
        shape("100 at once", Served(100), HEALTH.repeat(100)),
        shape("empty lines before", Served(1), format!("\r\n\r\n{HEALTH}")),
        shape("one good, then garbage", Either, format!("{HEALTH}\u{1}\u{2}\r\n\r\n")),
        shape("a body that looks like a request", Served(1), get("/api/v1/health", inner.trim_end())),
    ]
}

pub(super) fn chunks() -> Vec<Shape> {
    let chunked = |body: &str| provision("Transfer-Encoding: chunked", body);
    let long = "x".repeat(MEBIBYTE);
    let mut shapes = vec![
        shape("a million chunks of a byte", Refused, chunked(&("1\r\n{\r\n".repeat(MEBIBYTE) + "0\r\n\r\n"))),
        shape("an extension without end", Refused, chunked(&format!("1;{long}\r\n{{\r\n0\r\n\r\n"))),
        shape("a trailer without end", Refused, chunked(&format!("1\r\n{{\r\n0\r\nA: {long}\r\n\r\n"))),
        shape("ten thousand trailers", Refused, chunked(&format!("1\r\n{{\r\n0\r\n{}\r\n", "A: b\r\n".repeat(10_000)))),
        shape("more than promised", Refused, chunked("1\r\n{}}}}\r\n0\r\n\r\n")),
        shape("less than promised", Refused, chunked("5\r\n{\r\n0\r\n\r\n")),
    ];
    let sizes = ["", "-1", "+1", "0x1", "1 1", "g", "1\0", "10000000000000000", "ffffffffffffffff", "7fffffffffffffff", "١"];
    shapes.extend(each("size", &sizes, |size| chunked(&format!("{size}\r\n{{\r\n0\r\n\r\n"))));
    let codings = ["chunked, identity", "identity", "xchunked", "chunked, chunked", "gzip", "", "chunked\u{b}"];
    let body = "1\r\n{\r\n0\r\n\r\n";
    shapes.extend(each("coding", &codings, |coding| provision(&format!("Transfer-Encoding: {coding}"), body)));
    shapes
}

pub(super) fn lengths() -> Vec<Shape> {
    let long = "9".repeat(100_000);
    let lengths = ["-1", "+1", "1e3", "0x1", "1.0", "", " ", "1 1", "1,2", "18446744073709551616", "9223372036854775807", &long];
    let mut shapes = each("length", &lengths, |length| provision(&format!("Content-Length: {length}"), "{"));
    for (name, headers) in [
        ("two lengths", "Content-Length: 1\r\nContent-Length: 60"),
        ("two lengths, the longer first", "Content-Length: 60\r\nContent-Length: 1"),
        ("a length and chunks", "Content-Length: 6\r\nTransfer-Encoding: chunked"),
        ("chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 6"),
        ("chunks of two spellings", "Transfer-Encoding: chunked\r\nTransfer-encoding: cow"),
    ] {
        // Whoever reads the wrong length takes what follows for a request of its own.
        shapes.push(shape(name, Refused, provision(headers, &format!("0\r\n\r\n{HEALTH}"))));
    }
    for expected in ["100-continue", "200-ok", ""] {
        let headers = format!("Expect: {expected}\r\nContent-Length: 1");
        shapes.push(shape(format!("expect {expected:?}"), Either, provision(&headers, "{")));
    }
    let large = provision("Content-Length: 1048577", &"x".repeat(MEBIBYTE + 1));
    shapes.push(shape("a mebibyte and a byte", Refused, large));
    shapes
}

pub(super) fn heads() -> Vec<Shape> {
    let with = |lines: &str| get("/api/v1/endpoints", lines);
    let mut shapes = vec![
        shape("ten thousand headers", Refused, with(&"A: b\r\n".repeat(10_000))),
        shape("a header of a mebibyte", Refused, with(&format!("A: {}", "x".repeat(MEBIBYTE)))),
        shape("a name of a mebibyte", Refused, with(&format!("{}: a", "x".repeat(MEBIBYTE)))),
        shape("a mebibyte of empty lines", Either, "\r\n".repeat(MEBIBYTE / 2)),
        shape("a mebibyte without a line end", Refused, "x".repeat(MEBIBYTE)),
        shape("no host", Refused, "GET /api/v1/health HTTP/1.1\r\n\r\n"),
        shape("two hosts", Refused, with("Host: elsewhere")),
        shape("bare line feeds", Either, "GET /api/v1/health HTTP/1.1\nHost: a\n\n"),
        shape("bare carriage returns", Refused, "GET /api/v1/health HTTP/1.1\rHost: a\r\r"),
        shape("TLS", Refused, &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"[..]),
        shape("HTTP/2", Refused, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        shape("a change of protocol", Either, with("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__")),
    ];
    let versions = ["HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/11", "http/1.1", "", "HTTP/1.1 x"];
    shapes.extend(each("version", &versions, |version| format!("GET /api/v1/health {version}\r\nHost: a\r\n\r\n")));
    let lines = ["no colon", "Name : a", ": a", "A: a\r\n folded", "A\0: a", "A: \0", "A: \u{7f}", "A(: a", "Ä: a", "A: ä"];
    shapes.extend(each("line", &lines, with));
    let keys = ["", " ", "Bearer", "Bearer ", "Basic eDp5", "Bearer \u{ff}", "Bearer a b"];
    shapes.extend(each("key", &keys, |key| with(&format!("Authorization: {key}"))));
    shapes
}

pub(super) fn targets() -> Vec<Shape> {
    let (long, deep) = (format!("/{}", "x".repeat(70_000)), "/a".repeat(30_000));
    let targets = [
        "*", "/", "//", "///api/v1/health", "/api/v1/../v1/health", "/api/v1/%2e%2e/health", "/api/v1/health/", "/%00", "/%", "/%zz",
        "/%ff%fe", "/api/v1/endpoints/%2F", "/api/v1/endpoints/\0", "/ /", "/#a", "/ä", "/api/v1/endpoints?%", "/api/v1/endpoints/%F0",
        "http://localhost/nothing", "http://", "http://a:b@c/", "a:443", "?", "", "/_mock/tenants/%00/clock", "/_mock/tenants/%ff/clock",
        "/_mock/tenants/../clock", "/_mock/%2e%2e/state", "/_mock/endpoints/%00/ports", &long, &deep,
    ];
    let mut shapes = each("target", &targets, |target| get(target, "A: b"));
    let query = format!("/api/v1/health?{}", "a&".repeat(30_000));
    shapes.push(shape("thirty thousand parameters", Served(1), get(&query, "A: b")));
    shapes
}

pub(super) fn methods() -> Vec<Shape> {
    let long = "X".repeat(100_000);
    let methods = ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get", "", "G\0T", "GET\t", "É", &long];
    let of = |path: &'static str| {
        each(path, &methods, move |method| format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    };
    [of("/api/v1/health"), of("/_mock/health")].into_iter().flatten().collect()
}

pub(super) fn early_ends() -> Vec<Shape> {
    let body = r#"{"client_id":1,"ip_address":"192.0.2.9"}"#;
    let whole = provision(&format!("Content-Length: {}", body.len()), body);
    let cut = |at: usize| shape(format!("after {at} bytes"), Refused, &whole.as_bytes()[..at]);
    // The last byte is never sent: the call must not take effect.
    let ends = (0..whole.len()).step_by(5).chain([whole.len() - 1]);
    let unfinished = provision("Transfer-Encoding: chunked", &format!("{:x}\r\n{body}\r\n", body.len()));
    ends.map(cut).chain([shape("before the last chunk", Refused, unfinished)]).collect()
}

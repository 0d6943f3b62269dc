//! Who may call the admin API, and what it does not have (M2, M7).

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::client::{Caller, PATIENCE, Stage, coded};

#[test]
fn foreign_origins_and_hosts_are_refused_m7() {
    let stage = Stage::of(|builder| builder.host("secmon-mock"));
    let url = stage.server.url().to_owned();
    let port = url.rsplit(':').next().unwrap_or_default();
    stage
        .anyone
        .with("Origin", &url)
        .get("/_mock/tenants")
        .expect(200);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        &format!("http://localhost:{port}"),
    ] {
        let reply = stage
            .anyone
            .with("Origin", origin)
            .get("/_mock/tenants")
            .expect(403);
        assert!(reply.at("/error").is_string(), "{origin}");
    }
    for host in [
        "localhost:1",
        "127.0.0.1",
        "[::1]:9",
        "secmon-mock:4010",
        "SECMON-MOCK",
    ] {
        stage
            .anyone
            .with("Host", host)
            .get("/_mock/tenants")
            .expect(200);
    }
    for host in ["evil.example", "evil.example:4010", "10.1.2.3", ""] {
        stage
            .anyone
            .with("Host", host)
            .get("/_mock/tenants")
            .expect(403);
        stage
            .anyone
            .with("Host", host)
            .get("/_mock/nothing")
            .expect(403);
    }
}

#[test]
fn what_a_browser_loads_for_another_site_is_refused_m7() {
    let stage = Stage::of_real_time();
    let made = json!({ "name": "provision-lifecycle" });
    let id = stage
        .anyone
        .post("/_mock/playbooks", made)
        .expect(201)
        .at("/id");
    let ending = format!("/_mock/playbooks/{id}?finished=1");
    let as_image = |site: &str| {
        let caller = stage.anyone.with("Sec-Fetch-Site", site);
        caller.and("Sec-Fetch-Mode", "no-cors")
    };
    for site in ["cross-site", "same-site", "anything"] {
        as_image(site).get(&ending).expect(403);
        as_image(site).get("/_mock/").expect(403);
        let navigates = stage.anyone.with("Sec-Fetch-Site", site);
        let navigates = navigates.and("Sec-Fetch-Mode", "navigate");
        navigates.get(&ending).expect(403);
        navigates.get("/_mock/").expect(200);
        navigates.get("/_mock/docs").expect(200);
    }
    let verdict = stage.anyone.get(&format!("/_mock/playbooks/{id}"));
    assert_eq!(verdict.at("/verdict"), "running", "it goes on");
    for site in ["same-origin", "none"] {
        as_image(site).get("/_mock/tenants").expect(200);
    }
}

#[test]
fn with_an_admin_key_the_key_and_the_origin_decide_m7() {
    let stage = Stage::of(|builder| builder.admin_key("steering"));
    let staff = stage.anyone.with_key("steering");
    let elsewhere = staff.and("Sec-Fetch-Site", "cross-site");
    elsewhere.get("/_mock/tenants").expect(200);
    let elsewhere = staff.and("Origin", "http://evil.example");
    elsewhere.get("/_mock/tenants").expect(403);
}

#[test]
fn a_call_that_names_two_hosts_or_two_origins_is_refused_a4() {
    let stage = Stage::new().unjudged();
    let url = stage.server.url().to_owned();
    let host = url.trim_start_matches("http://");
    let here = |caller: &Caller| caller.with("Host", host);
    let twice = here(&stage.acme).and("Host", "portal.acme.test");
    coded(twice.get("/api/v1/endpoints"), 400, "BAD_REQUEST");

    let twice = here(&stage.anyone).and("Host", host);
    twice.get("/_mock/tenants").expect(403);
    let elsewhere = "http://evil.example/_mock/tenants";
    here(&stage.anyone).get(elsewhere).expect(403);
    let origins = stage.anyone.with("Origin", &url).and("Origin", &url);
    origins.get("/_mock/tenants").expect(403);
    let absolute = format!("{url}/_mock/tenants");
    here(&stage.anyone).get(&absolute).expect(200);
}

/// The status of the answer to a head that is written out.
fn status(stage: &Stage, lines: &[&str]) -> String {
    let address = stage.server.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let head = format!("{}\r\nConnection: close\r\n\r\n", lines.join("\r\n"));
    stream.write_all(head.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn the_host_is_the_one_of_an_absolute_address_else_of_the_only_host_line_a4() {
    const KEY: &str = "Authorization: Bearer test_key_acme";
    let stage = Stage::new();
    let suspend = |address: &str| format!("POST {address}/api/v1/billing/suspend HTTP/1.1");
    let (bare, at_home) = (suspend(""), suspend("http://PORTAL.acme.test:80"));
    let abroad = suspend("http://portal.globex.test");
    for (lines, expected) in [
        (vec![bare.as_str(), KEY], "400"),
        (vec![&bare, KEY, "Host: portal.acme.test"], "422"),
        (vec![&bare, KEY, "Host: portal.globex.test"], "403"),
        (vec![&at_home, KEY, "Host: portal.globex.test"], "422"),
        (vec![&abroad, KEY, "Host: portal.acme.test"], "403"),
        (vec![&abroad, KEY], "400"),
        (vec!["GET /api/v1/endpoints HTTP/1.0", KEY], "200"),
    ] {
        assert_eq!(status(&stage, &lines), expected, "{lines:?}");
    }
}

#[test]
fn with_an_admin_key_only_the_key_and_the_origin_are_looked_at_m7() {
    let stage = Stage::of(|builder| builder.admin_key("opensesame"));
    for (caller, status) in [
        (stage.anyone.clone(), 401),
        (stage.acme.clone(), 401),
        (stage.anyone.with_key("opensesam"), 401),
        (stage.anyone.with_key("opensesame"), 200),
        (
            stage
                .anyone
                .with_key("opensesame")
                .with("Host", "evil.example"),
            200,
        ),
        (
            stage
                .anyone
                .with_key("opensesame")
                .with("Origin", "http://evil.example"),
            403,
        ),
    ] {
        caller.get("/_mock/tenants").expect(status);
    }
    stage.anyone.get("/_mock/health").expect(200);
    stage
        .anyone
        .with("Origin", "http://evil.example")
        .get("/_mock/health")
        .expect(403);
}

#[test]
fn the_inspector_page_needs_no_key_and_holds_no_data_m7() {
    let stage = Stage::of(|builder| builder.admin_key("opensesame"));
    let page = stage.anyone.get("/_mock/").expect(200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(!page.text().contains("acme"));
    assert!(
        !page.text().contains("http://"),
        "nothing is loaded from elsewhere"
    );
}

#[test]
fn unknown_admin_calls_and_methods_are_refused_as_json_m2() {
    let stage = Stage::new();
    for path in ["/_mock", "/_mock/nothing", "/_mock/tenants/acme/nothing"] {
        assert!(stage.anyone.get(path).expect(404).at("/error").is_string());
    }
    let reply = stage.anyone.delete("/_mock/clock").expect(405);
    assert_eq!(reply.header("allow"), Some("GET, POST"));
    assert!(reply.at("/error").is_string());
    let huge = vec![b' '; (1 << 20) + 1];
    stage.anyone.send("POST", "/_mock/clock", &huge).expect(400);
}

#[test]
fn an_address_of_its_own_takes_the_admin_api_off_the_public_one() {
    let loopback = ([127, 0, 0, 1], 0).into();
    let stage = Stage::of(|builder| builder.admin_listen(loopback));
    assert_ne!(stage.server.url(), stage.server.admin_url());
    let admin = crate::client::Caller::new(stage.server.admin_url()).unjudged();
    admin.get("/_mock/tenants").expect(200);
    assert!(
        admin
            .get("/api/v1/health")
            .expect(404)
            .at("/error")
            .is_string()
    );
    let public = stage.anyone.unjudged().get("/_mock/health").expect(404);
    assert_eq!(public.at("/error/code"), "NOT_FOUND");
    stage.anyone.get("/api/v1/health").expect(200);
}

#[test]
fn the_inspector_page_runs_nothing_but_its_own_scripts() {
    let stage = Stage::new();
    let nonce = || {
        let page = stage.anyone.get("/_mock/").expect(200);
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        let (_, rest) = policy.split_once("script-src 'nonce-").expect("scripts");
        let nonce = rest.split('\'').next().expect("a word").to_owned();
        let html = page.text();
        let own = format!("<script nonce=\"{nonce}\">");
        assert_eq!(html.matches("<script").count(), html.matches(&own).count());
        assert!(
            html.matches(&own).count() > 0 && !html.contains("<!-- "),
            "{html}"
        );
        nonce
    };
    assert_ne!(
        nonce(),
        nonce(),
        "a word that is known beforehand keeps nobody out"
    );
}

#[test]
fn the_inspector_page_knows_where_the_partner_api_is_and_takes_no_markup_from_the_host() {
    let stage = Stage::new();
    let hostile = stage
        .anyone
        .with("Host", "localhost\"><script>alert(1)</script>");
    let page = hostile.get("/_mock/");
    assert!(!page.text().contains("<script>alert"), "{}", page.text());
    let url = stage.server.url();
    let address = url.trim_start_matches("http://");
    let page = stage.anyone.get("/_mock/").expect(200).text();
    let told = format!("<meta name=\"partner\" content=\"{address}\">");
    assert!(page.contains(&told), "{page}");
}

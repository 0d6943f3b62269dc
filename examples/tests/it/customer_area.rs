//! The customer area as a server: who sees what, and where the sign-in token goes.

use crate::support::{Account, account, run};
use http::{Method, StatusCode};
use reqwest::Response;
use reqwest::redirect::Policy;
use secmon::Client;
use secmon::model::{CustomerId, DomainId};
use secmon::operations::{ProvisionDomain, ProvisionEndpoint, ProvisionSubscription};
use secmon_mock::{CloseAt, DomainFindings, Fault, OpenPort, Protocol, ScanOutcome};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::num::NonZero;
use std::process::{Child, Stdio};

/// The program, and a browser that follows nothing.
struct Area {
    account: Account,
    process: Child,
    output: BufReader<std::process::ChildStdout>,
    url: String,
    browser: reqwest::Client,
}

impl Area {
    /// Ann (42) and Bob (43) are signed in.
    fn start() -> Self {
        let account = account();
        // Another test may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let browser = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy();
        let browser = browser.build().expect("a browser");
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = folder.path().join("sessions.json");
        std::fs::write(&sessions, r#"{"session-of-ann": 42, "session-of-bob": 43}"#)
            .expect("written");
        let mut program = account.program(env!("CARGO_BIN_EXE_customer-area"));
        let program = program.arg(&sessions).env("LISTEN", "127.0.0.1:0");
        let program = program.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = program.spawn().expect("a process");
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("its first line");
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .expect("its address");
        Self {
            url: url.to_owned(),
            account,
            process,
            output,
            browser,
        }
    }

    async fn call(&self, method: Method, path: &str, session: &str) -> Response {
        let call = self.browser.request(method, format!("{}{path}", self.url));
        let call = call.header("cookie", format!("theme=dark; session={session}"));
        call.send().await.expect("an answer")
    }

    async fn page(&self, path: &str, session: &str) -> Value {
        let answer = self.call(Method::GET, path, session).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        answer.json().await.expect("JSON")
    }

    /// Ends the program, and gives all that it wrote.
    fn written(&mut self) -> String {
        self.process.kill().expect("killed");
        let mut text = String::new();
        self.output.read_to_string(&mut text).expect("its output");
        let mut errors = self.process.stderr.take().expect("its log");
        errors.read_to_string(&mut text).expect("its log");
        text
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // It may have been ended before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ann() -> CustomerId {
    "42".parse().expect("an id")
}

/// Ann has a domain with three leaks, and a server with an open port.
async fn ann_has_trouble(account: &Account) -> DomainId {
    let key = secmon::ApiKey::new(account.api_key()).expect("a key");
    let client = Client::builder(account.url(), key)
        .build()
        .expect("a client");
    let service = 502u64.try_into().expect("an id");
    let slots = ProvisionSubscription::new(ann(), service, "domain_monitoring").quantity(2);
    client.send(slots).await.expect("slots");
    let domain = ProvisionDomain::new(ann(), "shop.example", service);
    let domain = client
        .send(domain)
        .await
        .expect("a domain")
        .data
        .monitored_domain_id;
    let server = ProvisionEndpoint::new(ann()).ip_address("203.0.113.10");
    let server = client
        .send(server)
        .await
        .expect("a server")
        .data
        .endpoint_id;
    let none = DomainFindings::new(0, 0, 0, 0).expect("findings");
    let some = DomainFindings::new(3, 0, 1, 2).expect("findings");
    for findings in [none, some] {
        account.set_findings(domain.into(), findings).expect("set");
        account
            .scan_domain_now(domain.into(), ScanOutcome::Completed)
            .expect("scanned");
    }
    let (port, protocol) = (NonZero::new(3306).expect("a port"), Protocol::Tcp);
    account
        .set_ports(server.into(), &[OpenPort { port, protocol }])
        .expect("set");
    account
        .scan_now(server.into(), ScanOutcome::Completed)
        .expect("scanned");
    domain
}

#[tokio::test]
async fn a_customer_sees_its_own_domains_and_alerts() {
    let area = Area::start();
    let domain = ann_has_trouble(&area.account).await;
    let session = "session-of-ann";
    let domains = area.page("/customers/42/domains", session).await;
    assert_eq!(
        (&domains["slots_used"], &domains["slots_total"]),
        (&json!(1), &json!(2))
    );
    let row = &domains["domains"][0];
    assert_eq!(
        (&row["domain"], &row["mentions"]),
        (&json!("shop.example"), &json!(2))
    );
    let leaks = json!({ "employees": 3, "customers": 0, "third_parties": 1 });
    assert_eq!(row["leaked_credentials"], leaks);
    let one = area
        .page(&format!("/customers/42/domains/{domain}"), session)
        .await;
    assert_eq!(one["id"], json!(domain));
    let alerts = area
        .page(&format!("/customers/42/domains/{domain}/alerts"), session)
        .await;
    assert!(
        alerts["alerts"]
            .as_array()
            .is_some_and(|alerts| !alerts.is_empty()),
        "{alerts}"
    );
    let alerts = area.page("/customers/42/alerts", session).await;
    let alert = &alerts["alerts"][0];
    assert_eq!(
        (&alert["port"], &alert["server"]),
        (&json!(3306), &json!("203.0.113.10"))
    );
    let reads = area.account.calls("GET", "/api/*");
    let with_customer = |call: &secmon_mock::JournalEntry| {
        call.query
            .as_deref()
            .is_some_and(|query| query.contains("billing_customer_id=42"))
    };
    assert!(
        reads.len() == 4 && reads.iter().all(with_customer),
        "{reads:?}"
    );
}

#[tokio::test]
async fn nobody_sees_anothers_page_and_nothing_is_asked_of_the_service() {
    let area = Area::start();
    let domain = ann_has_trouble(&area.account).await;
    let paths = [
        (Method::GET, "/customers/42/domains".to_owned()),
        (Method::GET, format!("/customers/42/domains/{domain}")),
        (Method::GET, "/customers/42/alerts".to_owned()),
        (
            Method::GET,
            format!("/customers/42/domains/{domain}/alerts"),
        ),
        (Method::POST, "/customers/42/portal".to_owned()),
    ];
    let before = area.account.journal().len();
    for (method, path) in paths {
        for (session, status) in [
            ("session-of-bob", StatusCode::FORBIDDEN),
            ("session-of-nobody", StatusCode::UNAUTHORIZED),
            ("", StatusCode::UNAUTHORIZED),
        ] {
            let answer = area.call(method.clone(), &path, session).await;
            assert_eq!(answer.status(), status, "{path} with {session:?}");
            assert_eq!(answer.headers()["cache-control"], "no-store");
        }
    }
    assert_eq!(area.account.journal().len(), before);
    // By his own page, Bob reaches nothing of Ann's: there the service refuses.
    let path = format!("/customers/43/domains/{domain}");
    let answer = area.call(Method::GET, &path, "session-of-bob").await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    let domains = area.page("/customers/43/domains", "session-of-bob").await;
    assert_eq!(
        (&domains["subscribed"], &domains["domains"]),
        (&json!(false), &json!([]))
    );
}

#[tokio::test]
async fn a_browser_is_signed_in_and_the_token_shows_nowhere_else() {
    let mut area = Area::start();
    ann_has_trouble(&area.account).await;
    let answer = area
        .call(Method::POST, "/customers/42/portal", "session-of-ann")
        .await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    let location = answer.headers()["location"]
        .to_str()
        .expect("text")
        .to_owned();
    let start = format!("{}/sso?token=", area.account.url());
    let token = location
        .strip_prefix(&start)
        .expect("an address of the portal")
        .to_owned();
    assert_eq!(answer.text().await.expect("a body"), "");
    let signed_in = area
        .browser
        .get(&location)
        .send()
        .await
        .expect("the portal");
    assert_eq!(signed_in.status(), StatusCode::OK);
    // A link must not mint one.
    let got = area
        .call(Method::GET, "/customers/42/portal", "session-of-ann")
        .await;
    assert_eq!(got.status(), StatusCode::METHOD_NOT_ALLOWED);
    // The answer to the second is cut halfway through the token.
    area.account
        .fault(Fault::close(CloseAt::MidBody).on("POST", "*/sso/token"));
    let lost = area
        .call(Method::POST, "/customers/42/portal", "session-of-ann")
        .await;
    assert_eq!(lost.status(), StatusCode::SERVICE_UNAVAILABLE);
    let key = area.account.api_key().to_owned();
    let written = area.written();
    assert!(
        written.contains("look"),
        "the log tells of the second: {written}"
    );
    for secret in [token.as_str(), "token=", key.as_str(), "session-of-ann"] {
        assert!(!written.contains(secret), "{written}");
    }
}

#[tokio::test]
async fn trouble_is_told_in_words_for_a_customer() {
    let area = Area::start();
    // Bob was never provisioned, so he has no account at the portal.
    let nobody = area
        .call(Method::POST, "/customers/43/portal", "session-of-bob")
        .await;
    assert_eq!(nobody.status(), StatusCode::BAD_GATEWAY);
    let sentence = nobody.text().await.expect("a body");
    assert_eq!(
        sentence,
        "This is not available at the moment. We have been told."
    );
    let busy = Fault::status(StatusCode::SERVICE_UNAVAILABLE).on("GET", "*/domains");
    area.account.fault(busy.times(0));
    let answer = area
        .call(Method::GET, "/customers/43/domains", "session-of-bob")
        .await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers().contains_key("retry-after"));
    let odd = area
        .call(Method::GET, "/customers/43/domains/no-id", "session-of-bob")
        .await;
    assert_eq!(odd.status(), StatusCode::NOT_FOUND);
}

#[test]
fn sessions_that_cannot_be_read_are_named_and_not_quoted() {
    let (account, folder) = (account(), tempfile::tempdir().expect("a folder"));
    let file = folder.path().join("sessions.json");
    std::fs::write(&file, r#"{"very-secret": "Ann"}"#).expect("written");
    let mut program = account.program(env!("CARGO_BIN_EXE_customer-area"));
    let ran = run(program.arg(&file), "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("sessions.json: line 1: "), "{}", ran.err);
    assert!(!ran.err.contains("very-secret"), "{}", ran.err);
}

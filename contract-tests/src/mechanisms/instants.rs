//! What ends at an instant has ended at that instant, and not a moment before, by the account's own clock (A19).

use std::pin::Pin;
use std::sync::Arc;

use crate::free::disagreement;
use crate::service::Pace;
use crate::{
    Account, Body, Case, Namespace, Need, RawAnswer, SampleAccount, Service, Stage, rate_limits,
};
use chrono::{DateTime, Duration, FixedOffset, SecondsFormat};
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

type Time = DateTime<FixedOffset>;
type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// So far is the account's clock ahead of the server's.
const AHEAD: i64 = 12_345;

const DAY: i64 = 86_400;

/// In milliseconds, the last moment at which a service is asked whose clock runs on.
const SOON: i64 = -500;

/// Something that ends.
struct Instant {
    /// Milliseconds past a whole second at which it begins.
    fraction: i64,
    /// Brings it about at `Scene::start`, in this way; says when it ends, and what to ask with.
    open: for<'a> fn(&'a Scene, &'static str) -> Doing<'a, (Time, Value)>,
    way: &'static str,
    /// Asks whether it has ended.
    ask: for<'a> fn(&'a Scene, &'a Value, Probe) -> Doing<'a, String>,
    /// What is answered until it ends, and from then on.
    answers: [&'static str; 2],
}

/// One time of asking.
#[derive(Clone, Copy)]
struct Probe {
    /// How often it was asked before.
    number: usize,
    /// The end, and what is left until then.
    end: Time,
    left: Duration,
}

impl Probe {
    /// Whether a clock that runs on may have come to the end by the time of the answer.
    fn is_soon(self) -> bool {
        self.left == Duration::milliseconds(-SOON)
    }

    /// Whether this answer shows that it has.
    fn is_over(self, answer: &RawAnswer) -> bool {
        self.is_soon() && answer.status != StatusCode::TOO_MANY_REQUESTS
    }
}

/// A case by its name for each instant of the table.
macro_rules! instants {
    ($($name:ident: $fraction:literal, $open:ident($way:literal), $ask:ident, [$alive:literal, $over:literal];)*) => {
        pub fn cases() -> Vec<Case> {
            let cases = [$((
                concat!(module_path!(), "::", stringify!($name)),
                (|stage| Box::pin(ends(stage, Instant {
                    fraction: $fraction,
                    open: |scene, way| Box::pin($open(scene, way)),
                    way: $way,
                    ask: |scene, thing, probe| Box::pin($ask(scene, thing, probe)),
                    answers: [$alive, $over],
                }))) as fn(Arc<Stage>) -> crate::Playing,
            )),*];
            let cases = cases.into_iter().map(|(path, play)| Case {
                path,
                spec_ref: "Limits, A19",
                needs: &[Need::Accounts, Need::Clock, Need::World],
                namespace: Namespace::Billing,
                body: Body::Alone(play),
            });
            cases.collect()
        }
    };
}

#[rustfmt::skip]
instants! {
    the_window_of_provisioning_ends: 400, window("/api/v1/alerts"), call_in_window, ["429 window", "200"];
    the_window_of_endpoints_ends: 400, window("/api/v1/whitelists/endpoint-summary"), call_in_window, ["429 window", "200"];
    a_cooldown_ends: 400, cooldown(""), scan_again, ["429 RATE_LIMITED", "202"];
    a_sign_in_token_ends: 0, token(""), sign_in, ["200, then 401", "401, then 401"];
    a_rule_of_a_date_ends: 0, rule(""), looked_at_rule, ["active", "expired"];
    a_rule_of_a_moment_ends: 0, rule("T10:20:30+00:00"), looked_at_rule, ["active", "expired"];
    a_rule_of_a_moment_written_z_ends: 0, rule("T10:20:30Z"), looked_at_rule, ["active", "expired"];
    a_rule_of_a_moment_in_the_east_ends: 0, rule("T10:20:30+05:30"), looked_at_rule, ["active", "expired"];
    a_rule_of_a_moment_in_the_west_ends: 0, rule("T10:20:30-11:00"), looked_at_rule, ["active", "expired"];
    a_rule_of_a_fraction_ends: 0, rule("T10:20:30.600+00:00"), looked_at_rule, ["active", "expired"];
    a_rule_of_a_fraction_in_the_east_ends: 0, rule("T00:00:00.999+05:30"), looked_at_rule, ["active", "expired"];
    a_rule_that_was_put_ends: 0, rule("put T23:59:59+00:00"), looked_at_rule, ["active", "expired"];
    the_first_scan_of_a_server_ends: 400, scan_of_server("first"), looked_at_server, ["not yet", "ended"];
    a_manual_scan_of_a_server_ends: 400, scan_of_server("manual"), looked_at_server, ["not yet", "ended"];
    the_next_scan_of_a_server_ends: 400, scan_of_server("next"), looked_at_server, ["not yet", "ended"];
    the_first_scan_of_a_domain_ends: 400, scan_of_domain("first"), looked_at_domain, ["not yet", "ended"];
    the_next_scan_of_a_domain_ends: 400, scan_of_domain("next"), looked_at_domain, ["not yet", "ended"];
}

/// An sample account whose time is set.
struct Scene {
    sample: SampleAccount,
    start: Time,
}

/// Asks until, at and after the end.
async fn ends(stage: Arc<Stage>, instant: Instant) {
    for moments in moments(&stage.service) {
        let scene = Scene::new(&stage, &instant).await;
        let (end, thing) = (instant.open)(&scene, instant.way).await;
        for (number, moment) in moments.into_iter().enumerate() {
            // Time only goes forward, and what is short leaves no room for a moment that is not near.
            if end + moment < scene.start {
                continue;
            }
            scene.set(end + moment).await;
            let probe = Probe {
                number,
                end,
                left: -moment,
            };
            let found = (instant.ask)(&scene, &thing, probe).await;
            let expected = instant.answers[usize::from(moment >= Duration::zero())];
            if probe.is_soon() {
                // It may have come by the time of the answer; an answer that says when it was given is judged by that.
                continue;
            }
            assert_eq!(
                found,
                expected,
                "{} ms from its end, {end}",
                moment.num_milliseconds()
            );
        }
    }
}

/// The moments of each scene; where the clock runs on meanwhile, none that is too near.
fn moments(service: &Service) -> [Vec<Duration>; 2] {
    let moments = match service.pace() {
        Pace::Stands => [&[-1500, -1000, -1, 0][..], &[1000]],
        Pace::Runs | Pace::RunsUnsteered => [&[-10_000, SOON][..], &[5000]],
    };
    moments.map(|moments| {
        let moments = moments.iter().copied();
        moments.map(Duration::milliseconds).collect()
    })
}

impl Scene {
    async fn new(stage: &Arc<Stage>, instant: &Instant) -> Self {
        let limited = instant.answers[0] == "429 window";
        let account = Account::with(stage, json!({"rate_limit": limited})).await;
        let start = account.now().await
            + Duration::seconds(AHEAD)
            + Duration::milliseconds(instant.fraction);
        let sample = SampleAccount::of(account).await;
        let progress = format!("/_mock/tenants/{}/progress", sample.account.name);
        let by_the_clock = json!({"scans": "timed"});
        sample
            .account
            .steer(Need::World, Method::PUT, &progress, &by_the_clock)
            .await;
        Self { sample, start }
    }

    async fn set(&self, time: Time) {
        let account = &self.sample.account;
        let path = format!("/_mock/tenants/{}/clock", account.name);
        let time = json!({"set": time.to_rfc3339_opts(SecondsFormat::Millis, false)});
        account.steer(Need::Clock, Method::POST, &path, &time).await;
    }

    async fn id(&self, name: &str) -> String {
        self.sample
            .value(name)
            .await
            .as_str()
            .expect("an id")
            .to_owned()
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> RawAnswer {
        let mut call = self.sample.account.raw(method, path);
        if !body.is_null() {
            call = call.json(body);
        }
        call.send().await.expect("an answer")
    }

    async fn get(&self, path: &str) -> RawAnswer {
        self.call(Method::GET, path, &Value::Null).await
    }

    async fn read(&self, path: &str) -> Value {
        self.get(path).await.json
    }

    async fn scan(&self, thing: &Value) -> RawAnswer {
        let path = "/api/v1/billing/scan-endpoint";
        self.call(Method::POST, path, thing).await
    }

    /// How long a scan takes, and how long it is from one to the next: the service says it of the first, of a server that
    /// does nothing else. From our own mock's to the next it is a day.
    async fn scan_takes(&self) -> (Duration, Duration) {
        let other = self.id("mapped_server").await;
        self.set(self.start - Duration::seconds(100)).await;
        let path = format!("/api/v1/endpoints/{other}/detail");
        let detail = self.read(&path).await;
        let took = detail["latest_scan"]["scan_duration_ms"].as_i64();
        let took = took.unwrap_or_else(|| panic!("no scan ended: {detail}"));
        let shown = ["last_scan_at", "next_scan_at"].map(|member| time_of(&detail["data"][member]));
        let interval = match self.sample.account.is_the_mocks() {
            true => Duration::seconds(DAY),
            false => shown[1] - shown[0],
        };
        (Duration::milliseconds(took), interval)
    }

    /// Whether a member shows this instant.
    fn shows(&self, member: &Value, time: Time) -> bool {
        let shown = member
            .as_str()
            .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        let exact = self.sample.account.is_the_mocks();
        let slack = if exact { 0 } else { 10 };
        shown.is_some_and(|shown| (shown.timestamp() - time.timestamp()).abs() <= slack)
    }

    /// What our own mock calls the state of a scan; others have words of their own.
    #[track_caller]
    fn assert_word(&self, said: &Value, word: &str) {
        let right = match self.sample.account.is_the_mocks() {
            true => said == word,
            false => said.is_string(),
        };
        assert!(right, "a scan that is {word} is called {said}");
    }

    /// The wait that a refusal tells is what is left, in whole seconds, rounded up.
    #[track_caller]
    fn assert_wait(&self, answer: &RawAnswer, left: Duration) {
        let header = answer.headers.get(header::RETRY_AFTER);
        let told: i64 = header
            .and_then(|told| told.to_str().ok()?.parse().ok())
            .unwrap_or(-1);
        let left = (left.num_milliseconds() + 999).div_euclid(1000);
        let exact = self.sample.account.is_the_mocks();
        let right = if exact {
            told == left
        } else {
            (1..=left + 10).contains(&told)
        };
        assert!(right, "Retry-After is {told}, and {left} seconds are left");
        if let Some(details) = answer.json.pointer("/error/details/retry_after_seconds") {
            assert_eq!(*details, told, "retry_after_seconds and Retry-After");
        }
    }
}

/// Fills a window of the account; what is refused before it, or by it, counts nowhere (A10).
async fn window(scene: &Scene, way: &'static str) -> (Time, Value) {
    let end = scene.start + Duration::seconds(60);
    scene.set(scene.start - Duration::seconds(20)).await;
    for (method, path) in [
        (Method::GET, "/api/v1/nothing"),
        (Method::PATCH, way),
        (Method::GET, "/api/v1/health"),
    ] {
        scene.call(method, path, &Value::Null).await;
    }
    scene.set(scene.start).await;
    let thing = json!(format!("{way}?billing_customer_id=1"));
    let beyond = fill(scene, &thing).await;
    assert_eq!(beyond, "429 window", "the calls of a window, and one more");
    scene.set(scene.start + Duration::seconds(30)).await;
    for _ in 0..3 {
        let refused = scene.get(text(&thing)).await;
        assert_eq!(refused.outcome(), "429 window");
        scene.assert_wait(&refused, Duration::seconds(30));
    }
    (end, thing)
}

/// Calls until the window is full; gives the outcome of the call after that.
async fn fill(scene: &Scene, thing: &Value) -> String {
    let (strict, default) = rate_limits();
    let limit = match text(thing).starts_with("/api/v1/alerts") {
        true => strict,
        false => default,
    };
    for number in 0..limit {
        let outcome = scene.get(text(thing)).await.outcome();
        assert_eq!(outcome, "200", "call {number} of a window of {limit}");
    }
    scene.get(text(thing)).await.outcome()
}

async fn call_in_window(scene: &Scene, thing: &Value, probe: Probe) -> String {
    if probe.left <= Duration::zero() {
        let beyond = fill(scene, thing).await;
        assert_eq!(beyond, "429 window", "a new window, and one call more");
        return "200".to_owned();
    }
    let answer = scene.get(text(thing)).await;
    if !probe.is_over(&answer) {
        scene.assert_wait(&answer, probe.left);
    }
    answer.outcome()
}

/// A manual scan, which nothing before it delays: neither an automatic scan nor one of the admin API (E1).
async fn cooldown(scene: &Scene, _: &str) -> (Time, Value) {
    let server = scene.id("server").await;
    scene
        .set(scene.start - Duration::seconds(1) + Duration::milliseconds(1))
        .await;
    scene
        .sample
        .account
        .found(
            &format!("endpoints/{server}"),
            "ports",
            &json!({"open": []}),
        )
        .await;
    scene.set(scene.start).await;
    let thing = json!({"client_id": scene.sample.value("customer").await, "endpoint_id": server});
    let queued = scene.scan(&thing).await;
    assert_eq!(queued.outcome(), "202", "the first scan: {}", queued.json);
    let length = queued.json["data"]["cooldown_seconds"].as_i64();
    let length = Duration::seconds(length.expect("a cooldown"));
    // A refusal does not start it again.
    scene.set(scene.start + length / 3).await;
    let refused = scene.scan(&thing).await;
    assert_eq!(refused.outcome(), "429 RATE_LIMITED");
    scene.assert_wait(&refused, length - length / 3);
    (scene.start + length, thing)
}

async fn scan_again(scene: &Scene, thing: &Value, probe: Probe) -> String {
    let answer = scene.scan(thing).await;
    if probe.left > Duration::zero() && !probe.is_over(&answer) {
        scene.assert_wait(&answer, probe.left);
    }
    answer.outcome()
}

/// Several tokens, since each signs in once.
async fn token(scene: &Scene, _: &str) -> (Time, Value) {
    scene.id("server").await;
    scene.set(scene.start).await;
    let body = json!({"billing_customer_id": scene.sample.value("customer").await});
    let (mut tokens, mut end) = (Vec::new(), scene.start);
    for _ in 0..4 {
        let minted = scene.sample.post("sso/token", &body).await;
        tokens.push(minted["token"].clone());
        end = time_of(&minted["expires_at"]);
    }
    (end, json!(tokens))
}

async fn sign_in(scene: &Scene, tokens: &Value, probe: Probe) -> String {
    let token = text(&tokens[probe.number]);
    let path = format!("/sso?token={token}");
    let mut said = Vec::new();
    for _ in 0..2 {
        let page = scene
            .sample
            .account
            .call(Method::GET, &path)
            .send()
            .await
            .expect("a page");
        said.push(page.status.as_str().to_owned());
    }
    said.join(", then ")
}

/// A rule with an end, written in this way. It is active through the second that is shown (E9).
async fn rule(scene: &Scene, way: &'static str) -> (Time, Value) {
    let server = scene.id("server").await;
    let day = scene.sample.account.day_in(3).await;
    let (put, rest) = match way.strip_prefix("put ") {
        Some(rest) => (true, rest),
        None => (false, way),
    };
    let mut body = json!({
        "port_start": 4242, "protocol": "*", "scope": "endpoint", "endpoint_id": server, "justification": "Ends some day.",
    });
    let expiry = json!(format!("{day}{rest}"));
    if !put {
        body["expires_at"] = expiry.clone();
    }
    let mut rule = scene.sample.post("whitelists", &body).await;
    let id = rule["id"].as_str().expect("an id").to_owned();
    if put {
        body["expires_at"] = expiry;
        let path = format!("/api/v1/whitelists/{id}");
        rule = scene.sample.ask(Method::PUT, &path, &body).await;
    }
    let given = match rest {
        "" => format!("{day}T23:59:59+00:00"),
        rest => format!("{day}{rest}"),
    };
    let (given, shown) = (time_of(&json!(given)), time_of(&rule["expires_at"]));
    let near = (shown - given).abs() < Duration::seconds(1);
    assert!(near, "a rule given until {given} shows {shown}");
    (shown + Duration::seconds(1), json!([id, server]))
}

/// What the rule itself, the lists, and the server's detail say; `torn` where they do not agree.
async fn looked_at_rule(scene: &Scene, thing: &Value, _: Probe) -> String {
    let [id, server] = [0, 1].map(|place| text(&thing[place]));
    let rule = scene.read(&format!("/api/v1/whitelists/{id}")).await;
    let mut active = vec![rule["data"]["is_active"] == true];
    for (status, is) in [("active", true), ("expired", false)] {
        let list = scene
            .read(&format!(
                "/api/v1/whitelists?endpoint_id={server}&status={status}"
            ))
            .await;
        let listed = list["data"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|rule| rule["id"] == id);
        active.push(listed == is);
    }
    let path = format!("/api/v1/endpoints/{server}/detail");
    let detail = scene.read(&path).await;
    let ports = detail["whitelisted_ports"].as_array().into_iter().flatten();
    active.push(
        ports
            .filter(|port| **port == "4242:tcp" || **port == "4242:udp")
            .count()
            == 2,
    );
    match active.iter().filter(|active| **active).count() {
        4 => "active".to_owned(),
        0 => "expired".to_owned(),
        _ => format!("torn: {active:?} of itself, the active, the expired, the detail"),
    }
}

/// When a scan ends: the first, one by hand when that is over, or the next by itself.
async fn scan_of_server(scene: &Scene, way: &'static str) -> (Time, Value) {
    let (takes, interval) = scene.scan_takes().await;
    let server = match way {
        "manual" => Some(scene.id("server").await),
        _ => None,
    };
    scene.set(scene.start).await;
    let server = match server {
        Some(server) => server,
        None => scene.id("server").await,
    };
    let end = match way {
        "next" => takes * 2 + interval,
        _ => takes,
    };
    if way == "manual" {
        let customer = scene.sample.value("customer").await;
        let thing = json!({"client_id": customer, "endpoint_id": server});
        scene.scan(&thing).await;
    }
    (scene.start + end, json!([server, interval.num_seconds()]))
}

async fn looked_at_server(scene: &Scene, thing: &Value, probe: Probe) -> String {
    let server = text(&thing[0]);
    let path = format!("/api/v1/endpoints/{server}/detail");
    let detail = scene.read(&path).await;
    let (data, scan) = (&detail["data"], &detail["latest_scan"]);
    let alone = scene.read(&format!("/api/v1/endpoints/{server}")).await;
    assert_eq!(
        disagreement(&alone["data"], data),
        None,
        "by itself and in its detail"
    );
    let ended = scene.shows(&scan["scanned_at"], probe.end);
    assert_eq!(
        data["last_scan_at"], scan["scanned_at"],
        "last_scan_at and scanned_at"
    );
    if scan.is_null() {
        assert_eq!(
            data["next_scan_at"], data["created_at"],
            "the first scan is due when the server is made"
        );
    } else {
        scene.assert_word(&scan["status"], "completed");
        let interval = Duration::seconds(thing[1].as_i64().unwrap_or_default());
        let next = time_of(&scan["scanned_at"]) + interval;
        assert!(
            scene.shows(&data["next_scan_at"], next),
            "the next scan, so long after {scan}: {data}"
        );
    }
    said(ended)
}

#[track_caller]
fn time_of(member: &Value) -> Time {
    DateTime::parse_from_rfc3339(text(member)).expect("a time")
}

fn text(member: &Value) -> &str {
    member.as_str().unwrap_or_default()
}

fn said(ended: bool) -> String {
    if ended { "ended" } else { "not yet" }.to_owned()
}

async fn scan_of_domain(scene: &Scene, way: &'static str) -> (Time, Value) {
    let (takes, interval) = scene.scan_takes().await;
    scene.id("mapped_server").await;
    scene.sample.value("slots_service").await;
    scene.set(scene.start).await;
    let thing = json!([
        scene.id("domain").await,
        scene.sample.value("customer").await
    ]);
    match way {
        "first" => (scene.start + takes, thing),
        _ => (scene.start + takes * 2 + interval, thing),
    }
}

async fn looked_at_domain(scene: &Scene, thing: &Value, probe: Probe) -> String {
    let (id, customer) = (text(&thing[0]), &thing[1]);
    let of = |what: &str| format!("/api/v1/domains/{id}/{what}?billing_customer_id={customer}");
    let summary = scene.read(&of("summary")).await;
    let history = scene.read(&of("scan-history")).await;
    let (data, last) = (&summary["data"], &history["data"]["scans"][0]);
    let ended = [
        &data["last_scan_at"],
        &data["dark_web_last_scan_at"],
        &last["created_at"],
    ];
    let ended = ended.map(|shown| scene.shows(shown, probe.end));
    let status = match last.is_null() {
        true => "pending",
        false => "completed",
    };
    scene.assert_word(&data["scan_status"], status);
    assert!(
        ended == [ended[0]; 3],
        "last_scan_at, dark_web_last_scan_at and the history: {data} {last}"
    );
    said(ended[0])
}

//! The suite is just: a service that differs from the mock in what no document fixes falls to no case.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use secmon_contract_tests::{
    Body, Case, Judgement, Matrix, Need, Service, keep_panics, repeatable, run_case,
};
use secmon_mock::{AnswerStyle, Config, Instant, MockServer, MockServerBuilder};
use serde::Deserialize;

use super::{assert_none, processors, read, side_by_side, wanted};
use crate::deviation::{Deviation, Doing, On, Rule};
use crate::proxy::Proxy;

checks! {
    no_legal_variant_fails(Embedded),
    no_server_drawn_by_lot_fails(Embedded),
    an_admin_api_without_playbooks_is_not_asked_to_play(Embedded),
}

static VARIANTS: LazyLock<File> =
    LazyLock::new(|| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("variants.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What every variant is put to: reads, writes, refusals and times of each group.
    at: Vec<String>,
    /// What the programs share.
    define: String,
    variant: Vec<Legal>,
}

/// A way in which a service may differ from the mock.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Legal {
    what: String,
    /// What allows it.
    by: String,
    /// The cases in which it acts, besides those that every variant is put to.
    #[serde(default)]
    at: Vec<String>,
    #[serde(default)]
    started: Started,
    #[serde(default)]
    told: Told,
    /// Whether the `/_mock/` calls come through the same proxy.
    #[serde(default)]
    wholly: bool,
    #[serde(default = "On::all")]
    on: On,
    #[serde(flatten)]
    doing: Doing,
}

/// How the mock is started.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Started {
    config: Option<String>,
    /// Milliseconds since 1970.
    clock: Option<i64>,
    /// Whether its clock runs.
    runs: bool,
    unkind: bool,
}

/// What the owner of the service tells of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Told {
    plans: Option<Vec<(String, u64)>>,
    hostname: Option<String>,
}

impl Started {
    fn builder(&self) -> MockServerBuilder {
        let mut builder = match self.runs {
            true => MockServer::builder().seed(1),
            false => repeatable(),
        };
        if let Some(text) = &self.config {
            builder = builder.config(Config::parse(text).expect("a configuration"));
        }
        if let Some(clock) = self.clock {
            builder = builder.manual_clock(Instant::from_unix_millis(clock));
        }
        match self.unkind {
            true => builder.answer_style(AnswerStyle::Unkind),
            false => builder,
        }
    }
}

/// With this variable variants are put to every case: all where it is 1, else those whose name has it in it.
const THOROUGH: &str = "SECMON_CONTRACT_THOROUGH";

fn thorough() -> Option<String> {
    env::var(THOROUGH).ok()
}

fn no_legal_variant_fails() {
    let all = &VARIANTS.variant;
    let named: BTreeSet<&str> = all.iter().map(|variant| variant.what.as_str()).collect();
    assert_eq!(named.len(), all.len(), "two variants have one name");
    let cases = secmon_contract_tests::cases();
    let known: BTreeSet<String> = cases.iter().map(Case::name).collect();
    let own = all.iter().flat_map(|variant| &variant.at);
    let unknown = VARIANTS
        .at
        .iter()
        .chain(own)
        .find(|name| !known.contains(*name));
    assert_eq!(unknown, None, "there is no such case");
    let variants = all.iter().filter(|variant| {
        wanted(variant) && thorough().is_none_or(|part| part == "1" || variant.what.contains(&part))
    });
    let variants: Vec<&Legal> = variants.collect();
    assert_none(&side_by_side(processors(), &variants, |number, variant| {
        let found = falls(number, variant).unwrap_or_else(|why| vec![why]);
        if thorough().is_some() {
            println!("{}: {found:#?}", variant.what);
        }
        let found = found.into_iter();
        found
            .map(|why| format!("{}, as {} allows: {why}", variant.what, variant.by))
            .collect()
    }));
}

fn an_admin_api_without_playbooks_is_not_asked_to_play() {
    let mock = MockServer::builder().start().expect("it starts");
    let missing = r#"answered(404; {error: "No such call."})"#.to_owned();
    let without = Deviation::new("* /_mock/playbooks*", Doing::Instead(missing));
    for (bend, plays) in [(without, false), (Deviation::Nothing, true)] {
        let proxy = Proxy::start(mock.url(), bend);
        let service = Service::of(&mock).wholly_through(proxy.url()).asked();
        assert_eq!(service.lacking(&[Need::Playbooks]).is_empty(), plays);
    }
}

/// How many servers are drawn by lot: 3, or as many as this variable says, each with another lot.
const SERVERS: &str = "SECMON_CONTRACT_SERVERS";

/// The number of the first of them, where it is not 1.
const FIRST_SERVER: &str = "SECMON_CONTRACT_FIRST_SERVER";

/// So many servers play at once, and so many cases: an unkind answer is mostly waited for.
const SERVERS_AT_ONCE: usize = 3;
const CASES_AT_ONCE: usize = 24;

fn no_server_drawn_by_lot_fails() {
    keep_panics();
    let number = |name: &str| {
        let told = env::var(name).ok();
        told.map(|text| text.parse::<u64>().expect(name))
    };
    let first = number(FIRST_SERVER).unwrap_or(1);
    let count = number(SERVERS).unwrap_or(SERVERS_AT_ONCE as u64);
    let servers: Vec<u64> = (first..).take(count as usize).collect();
    let found = servers.chunks(SERVERS_AT_ONCE).flat_map(|servers| {
        let drawn = servers.iter().map(|number| DrawnServer::of(*number));
        let started: Vec<StartedServer> = drawn.map(StartedServer::new).collect();
        let trials = started.iter().flat_map(|started| {
            let cases = started.cases();
            cases.into_iter().map(move |case| (started, case))
        });
        let trials: Vec<(&StartedServer, Case)> = trials.collect();
        let found = side_by_side(CASES_AT_ONCE, &trials, |_, (started, case)| {
            let found = judged(&[*case], &started.service).into_iter();
            found
                .map(|why| format!("server {}: {why}", started.number))
                .collect()
        });
        println!(
            "servers {servers:?}, {} cases: {} found",
            trials.len(),
            found.len()
        );
        found
    });
    assert_none(&found.collect::<Vec<_>>());
}

/// A server that was drawn, and what the suite was told of it.
struct StartedServer {
    number: u64,
    service: Service,
    /// It ends with this.
    _mock: MockServer,
}

impl StartedServer {
    fn new(drawn: DrawnServer) -> Self {
        let mock = drawn.started().start().expect("it starts");
        let mut service = Service::of(&mock).of_somebody_else();
        (service.plans, service.hostname) = (drawn.plans, drawn.hostname);
        Self {
            number: drawn.number,
            service,
            _mock: mock,
        }
    }

    /// What every variant is put to, and of what some variants are put to, one in so many as servers play at once.
    fn cases(&self) -> Vec<Case> {
        let others: BTreeSet<&String> = VARIANTS.variant.iter().flat_map(|it| &it.at).collect();
        let own = others.into_iter().enumerate();
        let own =
            own.filter(|(at, _)| (*at as u64 + self.number).is_multiple_of(SERVERS_AT_ONCE as u64));
        let named: Vec<&String> = VARIANTS
            .at
            .iter()
            .chain(own.map(|(_, name)| name))
            .collect();
        let mut cases = chosen(self.number as usize, &named, Need::Journal);
        if thorough().is_none() {
            // A walk waits for a minute.
            cases.retain(|case| !matches!(case.body, Body::StateTable(_)));
        }
        cases
    }
}

/// What a legal server may have otherwise than the mock, besides its words, orders and further members.
struct DrawnServer {
    number: u64,
    config: String,
    /// Milliseconds since 1970.
    clock: i64,
    plans: Vec<(String, u64)>,
    hostname: String,
}

impl DrawnServer {
    fn of(number: u64) -> Self {
        let lot = |what: &str, values: RangeInclusive<u64>| {
            let mut hasher = DefaultHasher::new();
            (number, what).hash(&mut hasher);
            values.start() + hasher.finish() % (values.end() - values.start() + 1)
        };
        let sizes = [("mini", 5..=8), ("midi", 9..=20), ("maxi", 30..=60)];
        let plans = sizes.map(|(plan, sizes)| (format!("{plan}-{number}"), lot(plan, sizes)));
        let sold = plans
            .iter()
            .map(|(plan, size)| format!("{plan} = {size}\n"));
        let hostname = format!("host{number}.partner.example");
        let address = match lot("address", 0..=1) {
            0 => format!("198.51.100.{}", lot("host", 1..=254)),
            _ => format!("2001:db8::{:x}", lot("host", 1..=0xffff)),
        };
        let config = format!(
            "[timings]\nscan_duration = {}\nscan_interval = {}\nscan_cooldown = {}\nsso_token = {}\n\
             [limits]\ndefault_endpoint_limit = {}\naccount_endpoint_limit = {}\n\
             [dns]\n\"{hostname}\" = \"{address}\"\n[products.port_monitoring]\n{}",
            lot("duration", 1..=9),
            lot("interval", 6..=48) * 3600,
            lot("cooldown", 30..=600),
            lot("token", 20..=120),
            lot("customer", 25..=60),
            lot("account", 200..=2000),
            sold.collect::<String>(),
        );
        Self {
            number,
            config,
            // From 2024 to 2030.
            clock: lot("clock", 1_704_067_200_000..=1_893_456_000_000) as i64,
            plans: plans.to_vec(),
            hostname,
        }
    }

    fn started(&self) -> MockServerBuilder {
        let config = Config::parse(&self.config).expect("a configuration");
        let builder = MockServer::builder().seed(self.number).config(config);
        let builder = builder.answer_style(AnswerStyle::Unkind);
        // The clock of every third server runs, but where the machine may be too busy to keep up with it.
        match thorough().is_some() && self.number.is_multiple_of(3) {
            true => builder,
            false => builder.manual_clock(Instant::from_unix_millis(self.clock)),
        }
    }
}

/// What the suite says against a variant; that it differs in nothing, where no case shows it.
fn falls(number: usize, variant: &Legal) -> Result<Vec<String>, String> {
    keep_panics();
    let mock = variant.started.builder().start().expect("it starts");
    let mut service = Service::of(&mock).of_somebody_else();
    let Told { plans, hostname } = &variant.told;
    service.plans = plans.clone().unwrap_or(service.plans);
    service.hostname = hostname.clone().unwrap_or(service.hostname);
    let (on, doing) = (variant.on.clone(), variant.doing.clone());
    let bend = Deviation::By(Arc::new(Rule::parse(on, doing, &VARIANTS.define)?));
    let proxy = Proxy::start(&service.url, bend);
    let service = match variant.wholly {
        true => service.wholly_through(proxy.url()),
        false => service.through(proxy.url()),
    };
    let journal = match variant.wholly {
        true => Need::Embedded,
        false => Need::Journal,
    };
    let named: Vec<&String> = VARIANTS.at.iter().chain(&variant.at).collect();
    let mut problems = judged(&chosen(number, &named, journal), &service);
    problems.extend(proxy.troubles());
    if proxy.bent() == 0 {
        problems.push("differs in nothing".to_owned());
    }
    Ok(problems)
}

/// What some cases say against a service, and which of its outcomes no document has.
fn judged(cases: &[Case], service: &Service) -> Vec<String> {
    let mut matrix = Matrix::default();
    let mut problems = Vec::new();
    for case in cases {
        let run = run_case(case, service);
        let violations = Judgement::of(case, service, &run).violations;
        let first = violations.first();
        problems.extend(first.map(|why| format!("{}: {why}", case.name())));
        for exchange in run.exchanges() {
            matrix.observe(&case.name(), case.needs, &exchange);
        }
    }
    problems.extend(matrix.judged(&[]).undocumented);
    problems
}

/// The cases that are named; thoroughly all, of a mechanism with one operation each, another for the next number.
fn chosen(number: usize, named: &[&String], journal: Need) -> Vec<Case> {
    let cases = secmon_contract_tests::cases();
    if thorough().is_none() {
        let cases = cases.into_iter();
        return cases.filter(|case| named.contains(&&case.name())).collect();
    }
    let mut by_path: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for case in cases {
        by_path.entry(case.path).or_default().push(case);
    }
    let chosen = by_path.into_values().flat_map(|cases| match cases[0].body {
        Body::Of(..) => vec![cases[number % cases.len()]],
        Body::Alone(_) | Body::Scene(_) | Body::StateTable(_) => cases,
    });
    // What the client makes of a fault is no service's doing, and a journal behind a proxy has other answers.
    let left_out = [Need::Embedded, Need::Faults, journal];
    let chosen = chosen.filter(|case| !case.needs.iter().any(|need| left_out.contains(need)));
    chosen.collect()
}

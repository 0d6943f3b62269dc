//! The suite is just: a service that differs from the mock in what no document fixes falls to no case.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use secmon_contract_tests::{
    Body, Case, Judgement, Matrix, Need, Service, keep_panics, repeatable, run_case,
};
use secmon_mock::{Config, Instant, Manners, MockServer, MockServerBuilder};
use serde::Deserialize;

use super::{assert_none, read, side_by_side, wanted};
use crate::bend::{Bend, Doing, On, Rule};
use crate::proxy::Proxy;

checks! {
    no_legal_variant_fails(Embedded),
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
            true => builder.manners(Manners::Unkind),
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
    assert_none(&side_by_side(&variants, |number, variant| {
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
    let without = Bend::new("* /_mock/playbooks*", Doing::Instead(missing));
    for (bend, plays) in [(without, false), (Bend::Nothing, true)] {
        let proxy = Proxy::start(mock.url(), bend);
        let service = Service::of(&mock).wholly_through(proxy.url()).asked();
        assert_eq!(service.lacking(&[Need::Playbooks]).is_empty(), plays);
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
    let bend = Bend::By(Arc::new(Rule::parse(on, doing, &VARIANTS.define)?));
    let proxy = Proxy::start(&service.url, bend);
    let service = match variant.wholly {
        true => service.wholly_through(proxy.url()),
        false => service.through(proxy.url()),
    };
    let mut matrix = Matrix::default();
    let mut problems = Vec::new();
    for case in cases(number, variant) {
        let run = run_case(&case, &service);
        let violations = Judgement::of(&case, &service, &run).violations;
        let first = violations.first();
        problems.extend(first.map(|why| format!("{}: {why}", case.name())));
        for exchange in run.exchanges() {
            matrix.observe(&case.name(), case.needs, &exchange);
        }
    }
    problems.extend(proxy.troubles());
    problems.extend(matrix.judged(&[]).undocumented);
    if proxy.bent() == 0 {
        problems.push("differs in nothing".to_owned());
    }
    Ok(problems)
}

/// The cases that a variant is put to; thoroughly all, of a mechanism with one operation each, another for the next variant.
fn cases(number: usize, variant: &Legal) -> Vec<Case> {
    let cases = secmon_contract_tests::cases();
    if thorough().is_none() {
        let wanted: Vec<&String> = VARIANTS.at.iter().chain(&variant.at).collect();
        let cases = cases.into_iter();
        return cases
            .filter(|case| wanted.contains(&&case.name()))
            .collect();
    }
    let mut by_path: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for case in cases {
        by_path.entry(case.path).or_default().push(case);
    }
    let chosen = by_path.into_values().flat_map(|cases| match cases[0].body {
        Body::Of(..) => vec![cases[number % cases.len()]],
        Body::Alone(_) | Body::Scene(_) | Body::Walk(_) => cases,
    });
    // What the client makes of a fault is no service's doing, and a journal behind the proxy has other answers.
    let journal = if variant.wholly {
        Need::Embedded
    } else {
        Need::Journal
    };
    let left_out = [Need::Embedded, Need::Faults, journal];
    let chosen = chosen.filter(|case| !case.needs.iter().any(|need| left_out.contains(need)));
    chosen.collect()
}

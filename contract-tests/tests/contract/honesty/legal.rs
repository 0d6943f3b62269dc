//! The suite is just: a service that differs from the mock in what no document fixes falls to no case.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use secmon_contract_tests::proxy::{Answer, Bend, Passing, Proxy};
use secmon_contract_tests::{
    Body, Case, Exchange, Judgement, Matrix, Need, Service, keep_panics, repeatable, run_case,
};
use secmon_mock::{MockServer, MockServerBuilder};
use serde_json::json;

use super::likes;

checks! {
    no_legal_variant_fails(Embedded),
    an_admin_api_without_playbooks_is_not_asked_to_play(Embedded),
}

/// A way in which a service may differ from the mock.
pub struct Legal {
    pub what: &'static str,
    /// What allows it.
    pub by: &'static str,
    /// How it is started.
    start: fn(MockServerBuilder) -> MockServerBuilder,
    /// What its owner tells of it.
    told: fn(&mut Service),
    bend: Bend,
    /// Whether the `/_mock/` calls come through the same proxy.
    wholly: bool,
    /// Whether an answer shows it, where the proxy does not count.
    shows: Option<fn(&Exchange) -> bool>,
    /// The cases in which it acts, besides those that every variant is put to.
    cases: &'static [&'static str],
}

/// A variant that differs in nothing as yet.
pub fn legal(what: &'static str, by: &'static str) -> Legal {
    Legal {
        what,
        by,
        start: |builder| builder,
        told: |_| {},
        bend: Bend::Call(|_| {}),
        wholly: false,
        shows: None,
        cases: &[],
    }
}

impl Legal {
    /// With other answers.
    pub fn answers(self, change: fn(&Passing, &mut Answer)) -> Self {
        self.bent(Bend::Answer(change))
    }

    pub fn bent(self, bend: Bend) -> Self {
        Self { bend, ..self }
    }

    /// Also in what the `/_mock/` calls say and take.
    pub fn wholly(self) -> Self {
        Self {
            wholly: true,
            ..self
        }
    }

    /// Started in another way, which an answer shows.
    pub fn started(
        self,
        start: fn(MockServerBuilder) -> MockServerBuilder,
        shows: fn(&Exchange) -> bool,
    ) -> Self {
        Self { start, ..self }.shown(shows)
    }

    /// Shown by an answer, not by the proxy.
    pub fn shown(self, shows: fn(&Exchange) -> bool) -> Self {
        Self {
            shows: Some(shows),
            ..self
        }
    }

    pub fn told(self, told: fn(&mut Service)) -> Self {
        Self { told, ..self }
    }

    pub fn at(self, cases: &'static [&'static str]) -> Self {
        Self { cases, ..self }
    }
}

/// What every variant is put to: reads, writes, refusals and times of each group.
const TELLING: [&str; 9] = [
    "scenes::health_is_told_without_a_key",
    "scenes::a_first_look_at_what_a_partner_does",
    "scenes::all_bad_fields_come_back_at_once",
    "scenes::a_domain_moves_to_another_name",
    "scenes::plans_change_in_the_direction_of_their_room",
    "scenes::a_rule_of_one_server_is_created_read_changed_and_deleted",
    "scenes::an_endpoint_is_created_read_changed_and_deleted",
    "scenes::every_transition_of_a_domain_alert_allowed_and_refused",
    "scenes::the_list_and_the_summary_show_a_domain",
];

/// With this variable variants are put to every case: all where it is 1, else those whose name has it in it.
const THOROUGH: &str = "SECMON_CONTRACT_THOROUGH";

fn thorough() -> Option<String> {
    env::var(THOROUGH).ok()
}

fn no_legal_variant_fails() {
    let mut variants = likes::all();
    let named: BTreeSet<&str> = variants.iter().map(|variant| variant.what).collect();
    assert_eq!(named.len(), variants.len(), "two variants have one name");
    assert_eq!(unknown(&variants), Vec::<&str>::new(), "no cases");
    variants.retain(|variant| {
        thorough().is_none_or(|part| part == "1" || variant.what.contains(&part))
    });
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(variant) = variants.get(number) else {
                        break;
                    };
                    let found = falls(number, variant);
                    if thorough().is_some() {
                        println!("{}: {found:#?}", variant.what);
                    }
                    let found = found
                        .into_iter()
                        .map(|why| format!("{}: {why}", variant.what));
                    problems.lock().expect("no worker panics").extend(found);
                }
            });
        }
    });
    let problems = problems.into_inner().expect("no worker panics");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

fn an_admin_api_without_playbooks_is_not_asked_to_play() {
    let mock = MockServer::builder().start().expect("it starts");
    let without = Bend::Instead(|call| {
        let playbooks = call.path.starts_with("/_mock/playbooks");
        playbooks.then(|| Answer::new(404, &json!({"error": "No such call."})))
    });
    for (bend, plays) in [(without, false), (Bend::Call(|_| {}), true)] {
        let proxy = Proxy::start(mock.url(), bend);
        let service = Service::of(&mock).wholly_through(proxy.url()).asked();
        assert_eq!(service.lacking(&[Need::Playbooks]).is_empty(), plays);
    }
}

/// What the suite says against a variant; that it differs in nothing, where no case shows it.
fn falls(number: usize, variant: &Legal) -> Vec<String> {
    keep_panics();
    let mock = (variant.start)(repeatable()).start().expect("it starts");
    let mut service = Service::of(&mock).of_somebody_else();
    (variant.told)(&mut service);
    let proxy = Proxy::start(&service.url, variant.bend);
    let service = match variant.wholly {
        true => service.wholly_through(proxy.url()),
        false => service.through(proxy.url()),
    };
    let mut matrix = Matrix::default();
    let mut problems = Vec::new();
    let mut shown = variant.shows.is_none();
    for case in cases(number, variant) {
        let run = run_case(&case, &service);
        let violations = Judgement::of(&case, &service, &run).violations;
        problems.extend(
            violations
                .first()
                .map(|why| format!("{}: {why}", case.name())),
        );
        for exchange in run.exchanges() {
            shown = shown || variant.shows.is_some_and(|shows| shows(&exchange));
            matrix.observe(&case.name(), case.needs, &exchange);
        }
    }
    problems.extend(matrix.judged(&[]).undocumented);
    if !shown || (variant.shows.is_none() && proxy.bent() == 0) {
        problems.push("differs in nothing".to_owned());
    }
    problems
}

/// The cases that a variant is put to; thoroughly all, of a mechanism with one operation each, another for the next variant.
fn cases(number: usize, variant: &Legal) -> Vec<Case> {
    let cases = secmon_contract_tests::cases();
    if thorough().is_none() {
        let wanted: Vec<&str> = TELLING.iter().chain(variant.cases).copied().collect();
        let wanted = cases
            .into_iter()
            .filter(|case| wanted.contains(&case.name().as_str()));
        return wanted.collect();
    }
    let mut by_path: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for case in cases {
        by_path.entry(case.path).or_default().push(case);
    }
    let chosen = by_path.into_values().flat_map(|cases| match cases[0].body {
        Body::Of(..) => vec![cases[number % cases.len()]],
        Body::Alone(_) | Body::Scene(_) | Body::Walk(_) => cases,
    });
    // What the client makes of a fault is no service's doing.
    let left_out = [Need::Embedded, Need::Faults];
    let chosen = chosen.filter(|case| !case.needs.iter().any(|need| left_out.contains(need)));
    chosen.collect()
}

/// Cases of variants that are none.
fn unknown(variants: &[Legal]) -> Vec<&'static str> {
    let cases: BTreeSet<String> = secmon_contract_tests::cases()
        .iter()
        .map(Case::name)
        .collect();
    let named = variants
        .iter()
        .flat_map(|variant| variant.cases)
        .chain(&TELLING);
    named
        .filter(|name| !cases.contains(**name))
        .copied()
        .collect()
}

/// The variants, for the documentation of the bends.
pub fn documented() -> String {
    let mut text = String::from(
        "\n## Legal variants\n\nWays in which a service may differ from the mock, each with what allows it. No case fails before \
         any of them; what an assumption\nof ours has otherwise is listed as a difference.\n\n| a service that | is allowed by |\n| --- | --- |\n",
    );
    for variant in likes::all() {
        text += &format!("| {} | {} |\n", variant.what, variant.by);
    }
    text
}

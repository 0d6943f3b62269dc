//! What a partner's engineer reads, who knows the API and nothing of this suite.

use crate::deviation::{Deviation, Doing};
use crate::program::{Stand, said};
use crate::proxy::Proxy;

checks! {
    a_report_speaks_in_the_words_of_the_api(Embedded),
    a_refusal_keeps_its_code_and_what_was_sent_is_no_secret(Embedded),
    a_report_shows_the_call_that_acted_and_the_one_that_shows_it(Embedded),
    every_case_is_in_one_of_the_sums(Embedded),
}

/// A run of some cases, steered, of a service that is wrong.
struct WrongService {
    on: &'static str,
    doing: Doing,
    only: &'static str,
}

impl WrongService {
    /// What is said of it, and the page.
    fn report(self, stand: &Stand, more: &[&str]) -> [String; 2] {
        let proxy = Proxy::start(stand.remote.url(), Deviation::new(self.on, self.doing));
        let run = [
            "--level",
            "full",
            "--admin-url",
            proxy.url(),
            "--html",
            "report.html",
            "--only",
            self.only,
        ];
        let ran = stand.run(proxy.url(), &[&run, more].concat());
        [said(&ran), stand.written("report.html")]
    }
}

fn one_slot_too_many() -> WrongService {
    WrongService {
        on: "GET /api/v1/domains -> 200",
        doing: Doing::Answer(
            "if .body.data.slots_total > 0 then .body.data.slots_total += 1 end".to_owned(),
        ),
        only: "random_walks",
    }
}

fn a_report_speaks_in_the_words_of_the_api() {
    let stand = Stand::new("words");
    let [text, page] = one_slot_too_many().report(&stand, &[]);
    for shown in [&text, &page] {
        let step = "customer A: provision-subscription domain_monitoring, quantity ";
        assert!(shown.contains(step), "{shown}");
        for ours in ["Slots(", "One,", "Some(", "cargo", "SEED"] {
            assert!(!shown.contains(ours), "{ours} in {shown}");
        }
    }
    let [developers, _] = one_slot_too_many().report(&stand, &["--developer"]);
    assert!(
        developers.contains("SECMON_CONTRACT_MODEL_SEED="),
        "{developers}"
    );
    // What a scene calls by a name has the identifier that the service gave it, and one rule of several is broken.
    let other_status = WrongService {
        on: "GET /api/v1/endpoints/{id} -> 200",
        doing: Doing::Answer(".body.data.quota_paused = true".to_owned()),
        only: "every_trigger_in_every_state_of_a_server",
    };
    let [text, _] = other_status.report(&stand, &[]);
    assert!(text.contains("get_endpoint {\"endpoint\":\""), "{text}");
    assert!(!text.contains("\"$"), "{text}");
    let breaks = "breaks: States and transitions; B7 Reconciliation\n";
    assert!(text.contains(breaks), "{text}");
    // Where no decision has a name of what was found, it is the one about the call.
    let revived = WrongService {
        on: "POST */change-subscription -> 200",
        doing: Doing::After(r#".path |= sub("change-"; "resume-") | send"#.to_owned()),
        only: "every_trigger_in_every_state_of_a_subscription_to_a_plan",
    };
    let [text, _] = revived.report(&stand, &[]);
    let breaks = "breaks: States and transitions; D4 change-subscription\n";
    assert!(text.contains(breaks), "{text}");
}

fn a_refusal_keeps_its_code_and_what_was_sent_is_no_secret() {
    let stand = Stand::new("codes");
    let unknown = WrongService {
        on: "GET */credential-leaks -> 404",
        doing: Doing::Answer(".body.error.code = \"LEAKS_NOT_FOUND\"".to_owned()),
        only: "no_side_effects::leaves_all_as_it_is::list_credential_leaks",
    };
    let [text, page] = unknown.report(&stand, &[]);
    assert!(text.contains("404 LEAKS_NOT_FOUND"), "{text}");
    assert!(
        page.contains("&quot;code&quot;: &quot;LEAKS_NOT_FOUND&quot;"),
        "{page}"
    );
    // Every leak repeats the domain that was sent, and its password is nobody's.
    let repeating = WrongService {
        on: "GET */credential-leaks -> 200, GET */summary -> 200",
        doing: Doing::Answer(
            r#"
            if .body.data.items then
              .body.data.items |= map(. + {domain: "example.com", password: "hunter-two"})
            else .body.data |= (.domain = "hunter-two.example.com" | .slots_total = -1) end"#
                .to_owned(),
        ),
        only: "leaks_are_listed",
    };
    let [text, page] = repeating.report(&stand, &[]);
    assert!(
        !format!("{text}{page}").contains("hunter-two"),
        "{text}{page}"
    );
    assert!(page.contains("example.com"), "{page}");
}

fn a_report_shows_the_call_that_acted_and_the_one_that_shows_it() {
    let stand = Stand::new("calls");
    let touching = WrongService {
        on: "POST */suspend -> 200",
        doing: Doing::After(
            r#"select($answer | noted) | .path |= sub("suspend"; "resume") | send"#.to_owned(),
        ),
        only: "idempotency::moves_nothing_later_either::suspend_endpoint",
    };
    let [text, _] = touching.report(&stand, &[]);
    let calls: Vec<&str> = text
        .lines()
        .filter(|line| line.trim().starts_with("curl "))
        .collect();
    let [acted, shows] = calls[..] else {
        panic!("{text}")
    };
    assert!(
        acted.contains("-X POST") && acted.ends_with("/billing/suspend'"),
        "{text}"
    );
    assert!(
        shows.contains("-X GET") && shows.contains("/api/v1/endpoints"),
        "{text}"
    );
}

fn every_case_is_in_one_of_the_sums() {
    let stand = Stand::new("sums");
    let wrong = [
        // What both twins of a scene show is told once.
        WrongService {
            on: "POST */change-subscription -> 200",
            doing: Doing::Answer(".body.data.direction = \"sideways\"".to_owned()),
            only: "scenes::a_suspended_service",
        },
        WrongService {
            on: "GET /api/v1/alerts -> 200",
            doing: Doing::Answer("del(.body.data.has_more)".to_owned()),
            only: "reading::what_a_customer_has",
        },
    ];
    let sums = wrong.map(|wrong| {
        let [text, page] = wrong.report(&stand, &[]);
        let last = text.lines().rfind(|line| line.contains(" held, "));
        let sums = last.and_then(|line| line.rsplit_once(';'));
        let sums = sums.map_or(text.clone(), |(sums, _)| sums.to_owned());
        assert!(page.contains(&sums), "{page}");
        sums
    });
    let expected = [
        "0 of 2 cases held, 1 violation in 2 cases, 0 differences, 0 cases not reached",
        "0 of 1 case held, 0 violations, 1 difference in 1 case, 0 cases not reached",
    ];
    assert_eq!(sums, expected);
}

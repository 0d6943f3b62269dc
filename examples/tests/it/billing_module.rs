//! Hooks that come in, come twice, break off or are not answered.

use crate::support::{Account, Ran, account, run};
use secmon_mock::{CloseAt, Fault};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// The program with a journal of its own.
struct Module {
    account: Account,
    folder: TempDir,
}

impl Module {
    fn new() -> Self {
        Self {
            account: account(),
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn run(&self, hooks: &str) -> Ran {
        let mut program = self.account.program(env!("CARGO_BIN_EXE_billing-module"));
        run(program.arg(self.folder.path().join("done")), hooks)
    }

    /// The answers to these hooks, and the exit code.
    fn answers(&self, hooks: &[Value]) -> (Vec<Value>, Option<i32>) {
        let ran = self.run(&lines(hooks));
        assert_eq!(ran.err, "");
        let answers = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        (answers.collect(), ran.code)
    }
}

fn lines(hooks: &[Value]) -> String {
    hooks.iter().map(|hook| format!("{hook}\n")).collect()
}

fn hook(delivery: &str, event: &str, service: u64, goods: Value) -> Value {
    json!({ "delivery": delivery, "event": event, "customer": 42, "service": service, "goods": goods })
}

fn server(delivery: &str, event: &str, host: u64) -> Value {
    hook(
        delivery,
        event,
        host,
        json!({ "server": format!("203.0.113.{host}") }),
    )
}

fn plan(delivery: &str, event: &str, plan: &str) -> Value {
    hook(delivery, event, 501, json!({ "plan": plan }))
}

fn nexts(answers: &[Value]) -> Vec<&str> {
    answers
        .iter()
        .filter_map(|answer| answer["next"].as_str())
        .collect()
}

#[test]
fn the_hooks_of_the_example_are_done_and_delivered_again_do_nothing() {
    let module = Module::new();
    let hooks = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks.jsonl"));
    let hooks = hooks.expect("the example");
    let ran = module.run(&hooks);
    let texts: Vec<String> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["text"].to_string())
        .collect();
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_matches('"')).collect();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(
        texts,
        [
            "active",
            "active",
            "monitored from now on",
            "paused",
            "active",
            "monitored from now on",
            "upgrade",
            "terminated",
            "cancelled"
        ]
    );
    // The server that was changed is gone, and so is the one in its place.
    module
        .account
        .verify("POST", "*/terminate", 2)
        .expect("both");
    let calls = module.account.journal().len();
    let again = module.run(&hooks);
    assert_eq!(again.code, Some(0));
    assert_eq!(
        again.out.matches("delivered before").count(),
        9,
        "{}",
        again.out
    );
    assert_eq!(
        module.account.journal().len(),
        calls,
        "nothing is sent twice"
    );
}

#[test]
fn a_note_is_success_and_another_state_than_asked_for_is_not() {
    let module = Module::new();
    let (answers, code) = module.answers(&[
        server("d1", "created", 7),
        server("d2", "created", 7),
        server("d3", "terminated", 8),
    ]);
    assert_eq!((nexts(&answers), code), (vec!["done"; 3], Some(0)));
    assert_eq!(answers[2]["text"], "not monitored");
    let (answers, code) =
        module.answers(&[server("d4", "suspended", 7), server("d5", "created", 7)]);
    assert_eq!(
        (nexts(&answers), code),
        (vec!["done", "ask_operator"], Some(1))
    );
    assert_eq!(answers[1]["text"], "active was asked for, and it is paused");
}

#[test]
fn limits_are_answered_with_what_to_tell_the_customer() {
    let module = Module::new();
    let mut hooks = vec![plan("p", "created", "professional")];
    hooks.extend((1..=6).map(|host| server(&format!("d{host}"), "created", host)));
    hooks.push(plan("less", "changed", "starter"));
    let (answers, code) = module.answers(&hooks);
    assert_eq!(code, Some(1));
    let refused = answers.last().expect("answers");
    assert_eq!(refused["next"], "ask_customer");
    assert_eq!(
        refused["text"],
        "You use 6, and the smaller plan includes 5."
    );
    assert_eq!(refused["may_have_acted"], false);

    let small = Module::new();
    let mut hooks = vec![plan("p", "created", "starter")];
    hooks.extend((1..=6).map(|host| server(&format!("d{host}"), "created", host)));
    let (answers, code) = small.answers(&hooks);
    assert_eq!(
        (answers[6]["next"].as_str(), code),
        (Some("ask_customer"), Some(1))
    );
    assert_eq!(
        answers[6]["text"],
        "Your plan includes 5 servers: a larger one makes room for this server."
    );
    // A full plan has room for a server that takes another's place.
    let mut moved = server("move", "changed", 70);
    moved["instead_of"] = json!("203.0.113.1");
    let (answers, code) = small.answers(&[moved]);
    assert_eq!((nexts(&answers), code), (vec!["done"], Some(0)));
}

#[test]
fn a_lost_answer_of_a_repeatable_call_is_no_matter() {
    let module = Module::new();
    module
        .account
        .fault(Fault::close(CloseAt::After).on("POST", "*/provision"));
    let (answers, code) = module.answers(&[server("d1", "created", 7)]);
    assert_eq!((nexts(&answers), code), (vec!["done"], Some(0)));
    assert_eq!(answers[0]["text"], "monitored");
}

#[test]
fn a_lost_change_is_not_repeated_at_once_and_holds_back_what_comes_later() {
    let module = Module::new();
    module.answers(&[plan("p", "created", "starter")]);
    let lost = Fault::close(CloseAt::After).on("POST", "*/change-subscription");
    module.account.fault(lost);
    let hooks = [
        plan("more", "changed", "business"),
        plan("end", "terminated", "business"),
        server("other", "created", 7),
    ];
    let (answers, code) = module.answers(&hooks);
    assert_eq!(
        (nexts(&answers), code),
        (vec!["later", "later", "done"], Some(2))
    );
    assert_eq!(answers[0]["may_have_acted"], true);
    let text = answers[0]["text"].as_str().expect("text");
    assert!(
        text.ends_with("; 0 servers, 0 of them paused for want of room"),
        "{text}"
    );
    module
        .account
        .verify("POST", "*/change-subscription", 1)
        .expect("sent once");
    module
        .account
        .verify("POST", "*/terminate-subscription", 0)
        .expect("held");
    let (answers, code) = module.answers(&hooks);
    assert_eq!((nexts(&answers), code), (vec!["done"; 3], Some(0)));
    assert_eq!(answers[0]["text"], "as asked already");
    assert_eq!(answers[2]["text"], "delivered before");
}

#[test]
fn a_refused_key_stops_everything_and_nothing_is_lost() {
    let module = Module::new();
    let key = module.account.issue_key().expect("a key");
    module.account.revoke_key(&key).expect("revoked");
    let mut program = module.account.program(env!("CARGO_BIN_EXE_billing-module"));
    let program = program
        .arg(module.folder.path().join("done"))
        .env("SECMON_API_KEY", &key);
    let hooks = [server("d1", "created", 7), server("d2", "created", 8)];
    let ran = run(program, &lines(&hooks));
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1));
    assert!(ran.out.contains(r#""next":"halt""#), "{}", ran.out);
    assert!(!(ran.out + &ran.err).contains(&key));
    let (answers, code) = module.answers(&hooks);
    assert_eq!((nexts(&answers), code), (vec!["done"; 2], Some(0)));
}

#[test]
fn a_line_that_is_no_hook_is_named_and_the_others_go_on() {
    let module = Module::new();
    let ran = module.run(&format!(
        "{{\"delivery\": 5}}\n\n{}\n",
        server("d1", "created", 7)
    ));
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("line 1 is no hook"), "{}", ran.out);
    assert!(ran.out.contains("monitored from now on"), "{}", ran.out);
    let alone = run(
        &mut module.account.program(env!("CARGO_BIN_EXE_billing-module")),
        "",
    );
    assert_eq!(alone.code, Some(1));
    assert!(
        alone.err.contains("billing-module JOURNAL < HOOKS"),
        "{}",
        alone.err
    );
}

//! What earlier commands have seen: references that need no list, and words for the shell.

use crate::shell::{Run, Shell, account, provision};
use secmon_mock::Tenant;

/// An account with more servers than a page of the list has: 250 of ten customers.
fn many(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    let rows: String = (0..250)
        .map(|i| format!("198.51.{}.{},{},web-{i}\n", i / 25, i % 25, 100 + i / 25))
        .collect();
    let file = shell.file("many.csv", &format!("target,customer,nickname\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    shell.line("endpoint list").exits(0);
    shell
}

/// The reads of a command, each as its path.
fn reads(tenant: &Tenant, before: usize) -> Vec<String> {
    let calls = tenant.journal();
    let new = calls
        .iter()
        .skip(before)
        .filter(|call| call.method == "GET");
    new.map(|call| call.path.clone()).collect()
}

fn complete(shell: &Shell, words: &[&str]) -> Run {
    let mut line = vec!["--", "secmon"];
    line.extend(words);
    let index = (words.len()).to_string();
    let mut command = shell.command(&line);
    command
        .env("SECMON_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", index)
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "false")
        .env("_CLAP_IFS", "\n");
    crate::shell::finished(command).exits(0)
}

#[test]
fn a_name_that_was_seen_needs_no_list() {
    let tenant = account();
    let shell = many(&tenant);
    let before = tenant.journal().len();
    let shown = shell.line("endpoint show web-123 -o json").exits(0).json();
    assert_eq!(shown["data"]["nickname"], "web-123");
    let reads = reads(&tenant, before);
    assert!(
        reads.iter().all(|path| path != "/api/v1/endpoints"),
        "{reads:?}"
    );
}

#[test]
fn a_server_that_is_gone_is_looked_for_once_more() {
    let tenant = account();
    let shell = many(&tenant);
    let elsewhere = Shell::of(&tenant);
    elsewhere.line("endpoint delete 198.51.0.7 -y").exits(0);
    shell.line("endpoint show web-7").exits(4);
    elsewhere.line("endpoint rename 198.51.0.8 web-7").exits(0);
    let shown = shell.line("endpoint show web-7 -o json").exits(0).json();
    assert_eq!(shown["data"]["ip_address"], "198.51.0.8");
}

#[test]
fn a_name_that_went_to_another_server_is_found_there() {
    let tenant = account();
    let shell = many(&tenant);
    let elsewhere = Shell::of(&tenant);
    elsewhere.line("endpoint rename 198.51.0.1 old").exits(0);
    elsewhere.line("endpoint rename 198.51.0.2 web-1").exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    let paused = shell
        .line("endpoint list --status paused -o json")
        .exits(0)
        .json();
    assert_eq!(paused[0]["ip_address"], "198.51.0.2");
}

/// Pages of the list of [`many`]. One that decides a change is read until two passes agree (F11).
const PAGES: usize = 3;

#[test]
fn what_cannot_be_taken_back_reads_the_list_anew() {
    let tenant = account();
    let shell = many(&tenant);
    let before = tenant.journal().len();
    shell.line("endpoint terminate web-9 -y").exits(0);
    let reads = reads(&tenant, before);
    assert_eq!(
        reads
            .iter()
            .filter(|path| *path == "/api/v1/endpoints")
            .count(),
        2 * PAGES,
        "{reads:?}"
    );
}

#[test]
fn many_ids_cost_a_list_and_not_a_call_each() {
    let tenant = account();
    let shell = many(&tenant);
    let ids = shell.line("endpoint list -o ids").exits(0).stdout;
    let file = shell.file("ids.txt", &ids);
    let before = tenant.journal().len();
    shell
        .run(&["endpoint", "suspend", "-f", &file, "--confirm=250"])
        .exits(0);
    assert_eq!(reads(&tenant, before).len(), 2 * PAGES);
}

#[test]
fn what_was_seen_of_an_account_is_not_shown_for_another() {
    let first = account();
    let shell = Shell::of(&first);
    provision(&shell, "203.0.113.10", "web-1");
    let kept = shell.everything_kept();
    assert!(kept.contains("203.0.113.10") && !kept.contains(first.api_key()));
    let other = shell.with("SECMON_API_KEY", account().api_key());
    assert!(
        !complete(&other, &["endpoint", "show", ""])
            .stdout
            .contains("web-1")
    );
}

#[test]
fn the_shell_offers_what_the_customer_of_the_line_has_and_nothing_else() {
    let shell = Shell::of(&account());
    with_domains(&shell);
    for customer in [42, 43] {
        let server = format!("provision 203.0.113.{customer} -c {customer} -y");
        shell.line(&server).exits(0);
        let rule = format!("rules add 203.0.113.{customer} 8443 -m for-the-operations-team");
        shell.line(&rule).exits(0);
        for list in ["alert list", "domain list", "rules list"] {
            shell.line(&format!("{list} -c {customer}")).exits(0);
        }
    }
    let words = |line: &[&str]| {
        let offered = complete(&shell, line).stdout;
        offered.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for verb in [
        &["alert", "resolve"][..],
        &["domain", "suspend"],
        &["rules", "show"],
        &["endpoint", "suspend"],
    ] {
        let of = |customer: &str| words(&[verb, &["-c", customer, ""]].concat());
        let (first, second) = (of("42"), of("43"));
        assert!(!first.is_empty() && !second.is_empty(), "{verb:?}");
        let is_shared = |word: &&String| word.contains("shared") || word.starts_with('-');
        let both = first.iter().filter(|word| second.contains(word));
        let both: Vec<_> = both.filter(|word| !is_shared(word)).collect();
        assert!(both.is_empty(), "{verb:?}: {both:?}");
        let joined = words(&[verb, &["-c42", ""]].concat());
        assert_eq!(joined, first, "{verb:?}");
    }
}

#[test]
fn the_shell_offers_the_profiles_behind_their_option() {
    let shell = Shell::new();
    let create = "profile create staging --base-url https://staging.example.com";
    shell.line(create).exits(0);
    for line in [&["status", "--profile", ""][..], &["profile", "use", ""]] {
        let offered = complete(&shell, line).stdout;
        assert!(offered.contains("staging"), "{line:?}: {offered}");
    }
}

fn with_domains(shell: &Shell) {
    for customer in [42, 43] {
        let set =
            format!("subscription set 501 --product domain_monitoring --quantity 3 -c {customer}");
        shell.line(&set).exits(0);
        let own = format!("domain provision own-{customer}.example --service 501 -c {customer}");
        shell.line(&own).exits(0);
        let shared = format!("domain provision shared.example --service 501 -c {customer}");
        shell.line(&shared).exits(0);
    }
}

#[test]
fn a_domain_that_was_seen_implies_its_customer() {
    let shell = Shell::of(&account());
    with_domains(&shell);
    let shown = shell
        .line("domain show own-43.example -o json")
        .exits(0)
        .json();
    assert_eq!(shown["domain"], "own-43.example");
    let unclear = shell
        .line("domain show shared.example -o json")
        .exits(2)
        .error();
    assert_eq!(unclear["code"], "ambiguous", "{unclear}");
    shell.line("domain show shared.example -c 43").exits(0);
    shell.line("alert list --domain own-43.example").exits(0);
    shell
        .line("alert ack --all --domain own-43.example")
        .exits(0);
    shell.line("domain show never.example").exits(2);
    let slip = shell
        .line("domain show own-44.example -c 43 -o json")
        .exits(4)
        .error();
    assert_eq!(slip["hint"], "did you mean own-43.example?", "{slip}");
}

#[test]
fn an_alert_of_the_last_listing_is_named_by_its_beginning() {
    let shell = Shell::of(&account());
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    let alerts = shell.line("alert list -c 42 -o json").exits(0).json();
    let id = alerts[0]["id"].as_str().expect("an id");
    let shown = shell
        .run(&["alert", "show", &id[..8], "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(shown["id"], id);
    shell.run(&["alert", "show", &id[..5]]).exits(2);
}

#[test]
fn a_shell_is_offered_what_was_seen_without_a_call() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    with_domains(&shell);
    shell
        .line("rules add web-1 22 -m ten-letters-and-more")
        .exits(0);
    shell.line("alert list -c 42").exits(0);
    let before = tenant.journal().len();
    for (words, expected) in [
        (vec!["endpoint", "show", ""], "web-1"),
        (vec!["endpoint", "suspend", "203"], "203.0.113.10"),
        (vec!["scan", ""], "web-1"),
        (vec!["rules", "add", "web-1", "ss"], "ssh"),
        (vec!["domain", "show", "own"], "own-42.example"),
        (vec!["endpoint", "list", "-c", ""], "42"),
        (vec!["status", "--customer", "4"], "43"),
        (vec!["endp"], "endpoint"),
        (vec!["ru"], "rules"),
        (vec!["servers", "sus"], "suspend"),
        (vec!["endpoint", "list", "--out"], "--output"),
        (vec!["endpoint", "list", "--status", "p"], "paused"),
        (vec!["endpoint", "list", "-o", "js"], "jsonl"),
        (vec!["alert", "list", "--severity", "h"], "high+"),
        (
            vec!["sub", "set", "501", "--product", "p"],
            "port_monitoring",
        ),
        (vec!["help", "exi"], "exit-codes"),
        (vec!["help", "provi"], "provision"),
    ] {
        let run = complete(&shell, &words);
        assert!(run.stdout.contains(expected), "{words:?}: {run:?}");
    }
    for words in [["rules", "show", ""], ["alert", "show", ""]] {
        let run = complete(&shell, &words);
        let ids = run.stdout.split_whitespace();
        assert!(ids.filter(|word| word.len() == 36).count() > 0, "{run:?}");
    }
    assert_eq!(tenant.journal().len(), before, "completion made a call");
}

#[test]
fn profiles_are_offered_and_a_key_command_is_not_run_for_it() {
    let tenant = account();
    let shell = Shell::new();
    let ran = shell.path("ran");
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = format!(
        "default_profile = \"prod\"\n[profiles.prod]\nbase_url = \"{}\"\nkey_command = \"touch {}; echo {}\"\n",
        tenant.url(),
        ran.display(),
        tenant.api_key()
    );
    shell.file(".config/secmon/config.toml", &config);
    provision(&shell, "203.0.113.10", "web-1");
    std::fs::remove_file(&ran).expect("the command ran");
    assert!(
        complete(&shell, &["profile", "use", ""])
            .stdout
            .contains("prod")
    );
    assert!(
        complete(&shell, &["--profile", "pr"])
            .stdout
            .contains("prod")
    );
    assert!(
        complete(&shell, &["endpoint", "show", ""])
            .stdout
            .contains("web-1")
    );
    assert!(!ran.exists(), "completion ran the key command");
}

#[test]
fn options_are_offered_behind_a_dash_only() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let offered = |words: &[&str]| complete(&shell, words).stdout;
    assert!(offered(&["endpoint", "show", "--"]).contains("--customer"));
    let servers = offered(&["endpoint", "show", ""]);
    assert!(
        servers.contains("web-1") && !servers.contains("--"),
        "{servers}"
    );
    assert!(!offered(&["status", ""]).contains("--customer"));
    // An option that stands there already still has its values.
    assert!(offered(&["-o", "json", "endpoint", "list", "--status", ""]).contains("paused"));
}

#[test]
fn the_plans_that_are_known_here_are_offered() {
    let shell = Shell::of(&account());
    shell
        .line("subscription set 501 --product port_monitoring --plan starter -c 42")
        .exits(0);
    for words in [
        &["subscription", "change", "501", "--plan", ""][..],
        &["provision", "203.0.113.1", "--plan", ""],
    ] {
        let offered = complete(&shell, words).stdout;
        assert!(offered.contains("starter"), "{words:?}: {offered}");
    }
}

#[test]
fn a_port_is_offered_where_a_port_stands() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let offered = |words: &[&str]| complete(&shell, words).stdout;
    let first = offered(&["rules", "add", ""]);
    assert!(first.contains("web-1") && !first.contains("ssh"), "{first}");
    for before in [&["web-1"][..], &["203.0.113.10"], &["--global"]] {
        let second = offered(&[&["rules", "add"], before, &[""]].concat());
        assert!(
            second.contains("ssh") && !second.contains("web-1"),
            "{second}"
        );
    }
}

#[test]
fn a_nickname_with_blanks_is_offered_as_bash_reads_it_back() {
    let shell = Shell::of(&account());
    let name = "old web $(3)";
    shell
        .run(&["provision", "203.0.113.10", "-c", "42", "--nickname", name])
        .exits(0);
    let offered = complete(&shell, &["endpoint", "show", "old"]).stdout;
    assert!(offered.contains(r"old\ web\ \$\(3\)"), "{offered}");
    let offered = complete(&shell, &["endpoint", "show", r"old\ w"]).stdout;
    assert!(offered.contains(r"old\ web\ \$\(3\)"), "{offered}");
}

//! Questions to a person at a terminal.

use crate::shell::{Shell, account, provision};
use crate::terminal::{Terminal, echoes};

fn open_alerts(shell: &Shell) -> Vec<String> {
    let list = shell
        .line("alert list -c 42 --status open -o json")
        .exits(0)
        .json();
    let describe = |alert: &serde_json::Value| match &alert["port"] {
        serde_json::Value::Null => alert["category"].to_string(),
        port => format!(
            "{} {port}",
            alert["ip_address"].as_str().unwrap_or_default()
        ),
    };
    list.as_array()
        .expect("a list")
        .iter()
        .map(describe)
        .collect()
}

#[test]
fn triage_by_numbers_does_what_was_chosen_after_one_question() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_PLAIN_PROMPTS", "1");
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let mut terminal = Terminal::start(&shell, 100, &["alert", "triage", "-c", "42"]);
    terminal.shows("web-1 (203.0.113.10), 1 of 2: 4 open");
    terminal.shows("medium");
    terminal.shows("Select alerts (1,3-5, all, none; Ctrl-C quits)");
    terminal.type_keys("1,9\n");
    terminal.shows("was not understood: give numbers from 1 to 4");
    terminal.type_keys("1-2\n");
    terminal.shows("[a]llow the port, [r]esolve, [s]kip, [q]uit");
    for answer in ["k", "short"] {
        terminal.type_keys(&format!("{answer}\n"));
        terminal.shows(&format!("{answer:?} is not one of these letters"));
    }
    terminal.type_keys("a\n");
    terminal.shows("Why is it meant to be open");
    terminal.type_keys("short\n");
    terminal.shows("The reason must have 10 to 500 characters.");
    terminal.type_keys("asked for by the customer\n");
    terminal.shows("Until when");
    terminal.type_keys("90d\n");
    terminal.shows("web-1 (203.0.113.10), 1 of 2: 2 open");
    terminal.type_keys("none\n");
    terminal.shows("web-2 (203.0.113.11), 2 of 2: 4 open");
    terminal.type_keys("all\n");
    terminal
        .shows("What should happen to these 4 alerts? [a]llow the port, [r]esolve, [s]kip, [q]uit");
    terminal.type_keys("r\n");
    terminal.shows("alert allow ");
    terminal.shows("-m 'asked for by the customer' --expires ");
    terminal.shows("alert resolve ");
    assert_eq!(
        open_alerts(&shell).len(),
        8,
        "nothing is sent before the last question"
    );
    terminal.shows("About to do this to 6 alerts.\r\nGo on? [y/N]");
    terminal.type_keys("y\n");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    let left = open_alerts(&shell);
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(
        left.iter().all(|alert| alert.starts_with("203.0.113.10")),
        "{left:?}"
    );
    assert_eq!(
        shell
            .line("rules list -o ids")
            .exits(0)
            .stdout
            .lines()
            .count(),
        2
    );
}

#[test]
fn triage_with_keys_acknowledges_and_may_be_declined() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    let open = open_alerts(&shell).len();
    let mut terminal = Terminal::start(&shell, 80, &["alert", "triage", "-c", "42"]);
    terminal.shows("example.com, 1 of 1");
    // Nothing is chosen before the first one is.
    terminal.type_keys(" \r");
    terminal.shows("ac[k]nowledge");
    terminal.type_keys("k\r");
    terminal.shows("example.com, 1 of 1: 3 open");
    terminal.type_keys(" \r");
    terminal.shows("[q]uit");
    terminal.type_keys("q\r");
    terminal.shows("alert ack example.com/");
    terminal.shows("Go on?");
    terminal.type_keys("n\r");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 1, "{screen}");
    assert_eq!(open_alerts(&shell).len(), open);
    assert!(
        tenant
            .calls("POST", "/api/v1/domains/*/alerts/*/acknowledge")
            .is_empty()
    );
}

#[test]
fn a_terminal_shows_links_and_how_far_a_run_is() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("FORCE_HYPERLINK", "1");
    let id = provision(&shell, "203.0.113.10", "web-1");
    let link = format!("\u{1b}]8;;{}/endpoints/{id}\u{1b}\\", tenant.url());
    let (code, screen) = Terminal::start(&shell, 120, &["endpoint", "list"]).ends();
    assert_eq!(code, 0);
    assert!(screen.contains(&format!("{link}{id}")), "{screen:?}");
    let (_, narrow) = Terminal::start(&shell, 60, &["endpoint", "list"]).ends();
    assert!(
        narrow.contains(&format!("{link}{}\u{1b}]8;;", &id[..8])),
        "{narrow:?}"
    );
    assert!(
        !shell
            .line("endpoint list")
            .exits(0)
            .stdout
            .contains('\u{1b}')
    );

    let rows: String = (1..=20).map(|n| format!("198.51.100.{n},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    let (code, screen) = Terminal::start(&shell, 80, &["provision", "-f", &file]).ends();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("/20"), "{screen:?}");
    let (_, quiet) =
        Terminal::start(&shell, 80, &["provision", "-f", &file, "--no-progress"]).ends();
    assert!(!quiet.contains("/20"), "{quiet:?}");
}

#[test]
fn a_question_that_is_broken_off_gives_the_cursor_back() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let mut terminal = Terminal::start(&shell, 80, &["alert", "triage", "-c", "42"]);
    terminal.shows("\u{1b}[?25l");
    terminal.shows("http-alt");
    terminal.type_keys("\u{3}");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130, "{screen:?}");
    let (hidden, shown) = (screen.rfind("\u{1b}[?25l"), screen.rfind("\u{1b}[?25h"));
    assert!(hidden < shown, "{screen:?}");
    assert_eq!(
        screen.matches("Nothing was changed.").count(),
        1,
        "{screen:?}"
    );

    let plain = shell.with("SECMON_PLAIN_PROMPTS", "1");
    let mut terminal = Terminal::start(&plain, 80, &["alert", "triage", "-c", "42"]);
    terminal.shows("Select alerts (1,3-5, all, none; Ctrl-C quits)");
    terminal.type_keys("\u{3}");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130, "{screen:?}");
    assert_eq!(open_alerts(&plain).len(), 4);
}

#[test]
fn a_missing_customer_is_asked_for_and_an_editor_is_started() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let mut terminal = Terminal::start(&shell, 80, &["provision", "203.0.113.10"]);
    terminal.shows("Customer number");
    terminal.type_keys("42\r");
    terminal.shows("is now monitored for customer 42");
    assert_eq!(terminal.ends().0, 0);

    let editor = shell.file("editor.sh", "printf 'nonsense' >> \"$1\"\n");
    let shell = shell.with("EDITOR", &format!("sh {editor}"));
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = shell.file(".config/secmon/config.toml", "# mine\n");
    let terminal = Terminal::start(&shell, 80, &["config", "edit"]);
    let (code, screen) = terminal.ends();
    assert_eq!(code, 2, "{screen}");
    assert!(
        screen.contains("the configuration in use is unchanged"),
        "{screen}"
    );
    let kept = || std::fs::read_to_string(&config).expect("the file");
    assert_eq!(kept(), "# mine\n");

    std::fs::write(&config, "nonsense").expect("the file is ours");
    let mender = shell.file("mender.sh", "printf '# mended\\n' > \"$1\"\n");
    let shell = shell.with("EDITOR", &format!("sh {mender}"));
    let (code, screen) = Terminal::start(&shell, 80, &["config", "edit"]).ends();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(kept(), "# mended\n");
}

#[test]
fn provision_asks_what_a_bare_name_is_and_which_service_pays_for_domains() {
    let tenant = account();
    // Another computer has set it up, so this one does not know the number.
    Shell::of(&tenant)
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    let shell = Shell::of(&tenant).with("SECMON_PLAIN_PROMPTS", "1");
    let mut terminal = Terminal::start(&shell, 100, &["provision", "bare.test", "-c", "42"]);
    terminal.shows("bare.test is");
    terminal.shows("1  a server");
    terminal.shows("2  a domain");
    terminal.type_keys("2\n");
    terminal.shows("Number of the billing service: ");
    terminal.type_keys("501\n");
    terminal.shows("Domain bare.test is now monitored for customer 42");
    assert_eq!(terminal.ends().0, 0);

    let several = "provision www.test https://one.test 203.0.113.10 two.test -c 42";
    let several: Vec<&str> = several.split(' ').collect();
    let mut terminal = Terminal::start(&shell, 100, &several);
    terminal.shows("www.test is");
    terminal.type_keys("1\n");
    terminal.shows("Number of the billing service: ");
    terminal.type_keys("501\n");
    terminal.shows("two.test is");
    terminal.type_keys("2\n");
    terminal.shows("4 provisioned");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    let asked = screen.matches("Number of the billing service").count();
    assert_eq!(asked, 1, "one service pays for all: {screen}");
    let servers = tenant.calls("POST", "/api/v1/billing/provision");
    assert!(
        servers
            .iter()
            .all(|call| !format!("{:?}", call.body).contains("501")),
        "the service pays for domains: {servers:?}"
    );

    let terminal = Terminal::start(
        &shell,
        100,
        &["provision", "bare.test", "--no-input", "-c42"],
    );
    let (code, screen) = terminal.ends();
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("--server or --domain"), "{screen}");
}

#[test]
fn without_a_terminal_provision_names_the_options_that_are_missing() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let bare = shell.line("provision bare.test -c 42").exits(2).stderr;
    assert!(bare.contains("--server or --domain"), "{bare}");
    for line in [
        "provision https://example.com -c 42",
        "provision example.com --domain -c 42",
    ] {
        let missing = shell.line(line).exits(2).stderr;
        assert!(missing.contains("give it with --service"), "{missing}");
        assert!(missing.contains("example.com"), "{missing}");
        assert!(!missing.contains("column"), "{missing}");
    }
    let file = shell.file("domains.csv", "target,customer\nhttps://example.com,42\n");
    let missing = shell.run(&["provision", "-f", &file]).exits(2).stderr;
    assert!(missing.contains("fill in the column"), "{missing}");
    assert!(!missing.contains("--service"), "{missing}");
    assert!(tenant.journal().is_empty());
}

#[test]
fn an_editor_sees_no_key() {
    let shell = Shell::of(&account());
    let editor = shell.file(
        "editor.sh",
        "echo ${SECMON_API_KEY:-none} > \"$HOME/seen\"\n",
    );
    let shell = shell.with("EDITOR", &format!("sh {editor}"));
    let (code, screen) = Terminal::start(&shell, 80, &["config", "edit"]).ends();
    assert_eq!(code, 0, "{screen}");
    let seen = std::fs::read_to_string(shell.path("seen")).expect("the editor ran");
    assert_eq!(seen, "none\n");
}

#[test]
fn a_second_login_says_for_which_profile_and_address_it_is_and_lets_it_be_changed() {
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    shell.feed(tenant.api_key(), &login).exits(0);
    for (typed, address) in [
        ("", tenant.url()),
        ("localhost:4800", "http://localhost:4800"),
        ("portal.example.com", "https://portal.example.com"),
    ] {
        let mut terminal = Terminal::start(&shell, 120, &["auth", "login"]);
        terminal.shows("profile default");
        terminal.type_keys(&format!("{typed}\r"));
        terminal.shows(&format!("API key for {address} (profile default)"));
        // A key that is typed before the echo is off may be lost; a Ctrl-C is not.
        terminal.type_keys("\u{3}");
        let (code, seen) = terminal.ends();
        assert_ne!(code, 0, "{seen}");
    }
}

#[test]
fn triage_leaves_out_the_alerts_of_ended_servers() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_PLAIN_PROMPTS", "1");
    for address in ["203.0.113.10", "203.0.113.11"] {
        shell.line(&format!("provision {address} -c 42")).exits(0);
    }
    shell.line("endpoint terminate 203.0.113.10 -y").exits(0);
    let mut terminal = Terminal::start(&shell, 80, &["alert", "triage", "-c", "42"]);
    terminal.shows("4 alerts of ended servers left out");
    terminal.shows("203.0.113.11, 1 of 1");
    terminal.type_keys("\n");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("All 4 alerts were skipped"), "{screen}");
}

#[test]
fn at_a_terminal_a_key_for_standard_input_is_asked_for_unseen() {
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    let mut terminal = Terminal::start(&shell, 120, &login);
    terminal.shows("API key for");
    terminal.type_keys("\u{3}");
    let (code, screen) = terminal.ends();
    assert_ne!(code, 0, "{screen}");
}

#[test]
fn triage_begins_with_the_worst_and_an_empty_answer_chooses_nothing() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_PLAIN_PROMPTS", "1");
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    let mut terminal = Terminal::start(&shell, 80, &["alert", "triage", "-c", "42"]);
    terminal.shows("example.com, 1 of 2");
    terminal.shows("critical");
    terminal.type_keys("\n");
    terminal.shows("203.0.113.10, 2 of 2");
    terminal.type_keys("\n");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("alerts were skipped; nothing was changed."),
        "{screen}"
    );
}

/// Presses Ctrl-C at a question that is on the screen; what is left on it.
#[track_caller]
fn broken_off(shell: &Shell, arguments: &[&str], question: &str) -> String {
    let mut terminal = Terminal::start(shell, 80, arguments);
    terminal.shows(question);
    terminal.type_keys("\u{3}");
    let keyboard = terminal.keyboard();
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130, "{screen:?}");
    assert!(echoes(&keyboard), "{screen:?}");
    assert_eq!(
        screen.matches("Nothing was changed.").count(),
        1,
        "{screen:?}"
    );
    screen
}

#[test]
fn ctrl_c_at_the_first_question_restores_the_terminal() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let before = tenant.journal().len();
    broken_off(
        &shell,
        &["endpoint", "terminate", &id, "-c", "42"],
        "Go on?",
    );
    let plain = shell.with("SECMON_PLAIN_PROMPTS", "1");
    broken_off(
        &plain,
        &["endpoint", "terminate", &id, "-c", "42"],
        "Go on?",
    );
    let writes = tenant.journal().split_off(before);
    assert!(writes.iter().all(|call| call.method == "GET"), "{writes:?}");
    // Nothing was sent before this one.
    let offline = Shell::new().with("SECMON_BASE_URL", tenant.url());
    offline.file("list.csv", "Server,Customer\nweb1.example.com,42\n");
    broken_off(
        &offline,
        &["provision", "web1.example.com", "-c", "42"],
        "is",
    );
}

#[test]
fn ctrl_c_at_the_key_restores_the_echo() {
    let tenant = account();
    let shell = Shell::new().with("SECMON_BASE_URL", tenant.url());
    let screen = broken_off(&shell, &["endpoint", "list"], "API key");
    assert!(!screen.contains("panicked"), "{screen}");
    let login = ["auth", "login", "--base-url", tenant.url()];
    broken_off(&Shell::new(), &login, "API key for");
}

//! Whose a record is: `-c` narrows or is refused, a number that nobody knows changes nothing, and a new customer is told
//! as one.

use crate::shell::{Shell, account, provision};
use crate::terminal::Terminal;
use crate::tree::{Kind, Leaf, Scene, run_to_the_end};
use secmon_mock::Tenant;

/// A number that no billing system has given.
const NOBODY: &str = "99999";
/// What makes customers.
const CREATES: [&str; 5] = [
    "provision",
    "endpoint provision",
    "endpoint add",
    "domain provision",
    "subscription set",
];
/// What is about no customer, and says so when one is named.
const REFUSES: [&str; 40] = [
    "api",
    "auth login",
    "auth logout",
    "auth status",
    "completion",
    "config edit",
    "config get",
    "config list",
    "config path",
    "config set",
    "config unset",
    "customer leave",
    "customer resume",
    "customer show",
    "customer suspend",
    "doctor",
    "health",
    "help",
    "man",
    "mock clock advance",
    "mock clock show",
    "mock fault add",
    "mock fault clear",
    "mock fault list",
    "mock requests",
    "mock reset",
    "mock serve",
    "mock state export",
    "mock state import",
    "pricing remove",
    "pricing set",
    "profile delete",
    "profile list",
    "profile rename",
    "profile show",
    "profile use",
    "sandbox scenario list",
    "sandbox scenario set",
    "sync",
    "version",
];

/// The command of a leaf about another customer.
fn of_customer(leaf: &Leaf, customer: &str) -> Vec<String> {
    let mut line: Vec<String> = leaf.words.clone();
    let mut words = leaf.sample.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-c" => drop(words.next()),
            "-y" => {}
            _ => line.push(word.clone()),
        }
    }
    line.extend(["--yes", "-c", customer].map(str::to_owned));
    line
}

fn run(scene: &Scene, line: &[String]) -> crate::shell::Run {
    let words: Vec<&str> = line.iter().map(String::as_str).collect();
    run_to_the_end(&scene.shell, &words)
}

/// Everything that the account has of customer 42, as the program lists it.
fn all_of_42(shell: &Shell) -> Vec<String> {
    ["endpoint list", "domain list", "rules list", "alert list"]
        .iter()
        .map(|list| {
            let listed = shell.line(&format!("{list} -c 42 -o json"));
            listed.exits(0).stdout
        })
        .collect()
}

#[test]
fn no_command_about_one_customer_shows_or_changes_anything_of_another() {
    let scene = Scene::new();
    provision_for_77(&scene.shell);
    let before = all_of_42(&scene.shell);
    let serve = "mock serve --listen 127.0.0.1:0 -c 77";
    let serve = scene.shell.line(serve).exits(2).stderr;
    assert!(
        serve.contains("-c cannot be used with this command"),
        "{serve}"
    );
    for leaf in scene.leaves() {
        let name = leaf.words.join(" ");
        // Its sample is one that cannot be read.
        if name == "mock serve" {
            continue;
        }
        let run = run(&scene, &of_customer(&leaf, "77"));
        let refused = REFUSES.contains(&name.as_str());
        assert_eq!(
            refused,
            run.stderr.contains("-c cannot be used with this command"),
            "{name}: {run:?}"
        );
        assert!(!refused || run.code == 2, "{name}: {run:?}");
        for theirs in ["web-", "203.0.113.", "example.com", "customer 42"] {
            assert!(
                !run.stdout.contains(theirs),
                "{name} shows {theirs}: {run:?}"
            );
        }
        assert_eq!(all_of_42(&scene.shell), before, "{name}: {run:?}");
    }
}

fn provision_for_77(shell: &Shell) {
    shell
        .line("provision 198.51.100.77 -c 77 --nickname own-77")
        .exits(0);
    shell
        .line("subscription set 577 --product domain_monitoring --quantity 2 -c 77")
        .exits(0);
    shell
        .line("domain provision own-77.example --service 577 -c 77")
        .exits(0);
}

#[test]
fn a_number_that_nobody_knows_changes_nothing() {
    let scene = Scene::new();
    let answered =
        |call: &secmon_mock::JournalEntry| call.method != "GET" && call.status < Some(300);
    let done = || {
        scene
            .tenant
            .journal()
            .iter()
            .filter(|call| answered(call))
            .count()
    };
    for leaf in scene.leaves() {
        let name = leaf.words.join(" ");
        if leaf.kind != Kind::Changes || CREATES.contains(&name.as_str()) {
            continue;
        }
        let before = done();
        let run = run(&scene, &of_customer(&leaf, NOBODY));
        let code = if REFUSES.contains(&name.as_str()) {
            2
        } else {
            4
        };
        assert_eq!(run.code, code, "{name}: {run:?}");
        assert!(run.stderr.contains(NOBODY) || code == 2, "{name}: {run:?}");
        assert_eq!(done(), before, "{name}: {run:?}");
    }
    for line in [
        "endpoint suspend --all",
        "endpoint resume --all",
        "endpoint terminate --all",
        "endpoint delete --all",
        "domain suspend --all",
        "domain resume --all",
        "rules add --global 22 -m asked-for-by-the-customer",
    ] {
        let run = scene.shell.line(&format!("{line} --yes -c {NOBODY}"));
        let run = run.exits(4);
        assert!(run.stderr.contains("customer 99999"), "{line}: {run:?}");
    }
    // A report of services makes nobody known.
    let services =
        format!("service_id,client_id,product_slug,status\n9,{NOBODY},endpoint,active\n");
    let file = scene.shell.file("nobody.csv", &services);
    scene.shell.run(&["sync", "-f", &file]).exits(0);
    let suspend = format!("endpoint suspend --all -c {NOBODY}");
    scene.shell.line(&suspend).exits(4);
}

#[test]
fn a_new_customer_is_told_as_one_and_a_known_one_is_not() {
    let shell = Shell::of(&account());
    let told = "has nothing yet";
    for (at, line) in [
        "provision 203.0.113.1 -c 101",
        "endpoint add 203.0.113.2 -c 102",
        "subscription set 503 --product domain_monitoring --quantity 2 -c 103",
    ]
    .iter()
    .enumerate()
    {
        let run = shell.line(&format!("{line} -n")).exits(0);
        let customer = format!("Customer {} {told}", 101 + at);
        assert!(run.stderr.contains(&customer), "{line}: {run:?}");
        let run = shell.line(line).exits(0);
        assert!(run.stderr.contains(&customer), "{line}: {run:?}");
        let again = shell.line(line).exits(0);
        assert!(!again.stderr.contains(told), "{line}: {again:?}");
    }
    let domain = shell.line("domain provision example.org --service 503 -c 103");
    assert!(!domain.exits(0).stderr.contains(told));
    let typo = shell.line("domain provision example.org --service 503 -c 130");
    assert!(
        typo.stderr.contains("Customer 130 has nothing yet"),
        "{typo:?}"
    );
    let file = shell.file(
        "servers.csv",
        "ip,customer\n203.0.113.11,101\n203.0.113.12,104\n203.0.113.13,105\n",
    );
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    assert!(
        run.stderr
            .contains("2 customers have nothing yet and will be created: 104, 105"),
        "{run:?}"
    );
    // Another computer asks the service.
    let run = Shell::of(&account()).line("provision 203.0.113.1 -c 101 -n");
    assert!(run.exits(0).stderr.contains("Customer 101 has nothing yet"));
}

#[test]
fn a_mistyped_customer_creates_nothing_where_only_existing_ones_are_meant() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let before = provisions(&tenant);
    let file = shell.file(
        "servers.csv",
        "ip,customer\n203.0.113.11,42\n203.0.113.12,24\n",
    );
    let from_file = format!("provision -f {file}");
    for line in [
        "provision 203.0.113.1 -c 24",
        "endpoint add 203.0.113.2 -c 24",
        "domain provision example.org --service 503 -c 24",
        "subscription set 503 --product domain_monitoring --quantity 2 -c 24",
        &from_file,
    ] {
        let refused = shell.line(&format!("{line} --existing-customers")).exits(4);
        assert!(
            refused
                .stderr
                .contains("found for customer 24. Is the number right?"),
            "{line}: {refused:?}"
        );
    }
    assert_eq!(provisions(&tenant), before);
    let known = "provision 203.0.113.3 -c 42 --existing-customers";
    shell.line(known).exits(0);
}

#[test]
fn a_person_is_asked_whether_a_new_customer_is_meant() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let first = ["provision", "203.0.113.10", "-c", "42"];
    // The first customer of an account is no typing error.
    let (code, _) = Terminal::start(&shell, 80, &first).ends();
    assert_eq!(code, 0);
    let before = provisions(&tenant);
    let mut asked = Terminal::start(&shell, 80, &["provision", "203.0.113.1", "-c", "24"]);
    asked.shows("Customer 24 has nothing yet and will be created.");
    asked.shows("Is the number right?");
    asked.type_keys("n\r");
    let (code, screen) = asked.ends();
    assert_eq!(code, 1, "{screen}");
    assert_eq!(provisions(&tenant), before);
}

fn provisions(tenant: &Tenant) -> usize {
    tenant.calls("POST", "*").len()
}

#[test]
fn an_address_of_another_customer_is_asked_about_on_every_machine() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let file = shell.file(
        "servers.csv",
        "ip,customer\n203.0.113.10,44\n203.0.113.11,44\n",
    );
    let before = provisions(&tenant);
    let said = "monitored: 203.0.113.10 for customer 42";
    for shell in [&shell, &Shell::of(&tenant)] {
        for line in [
            ["provision", "203.0.113.10", "-c", "43"].as_slice(),
            &["endpoint", "add", "203.0.113.10", "-c", "43"],
            &["provision", "-f", &file],
        ] {
            let refused = shell.run(line).exits(2).stderr;
            assert!(
                refused.contains(said) && refused.contains("--yes"),
                "{line:?}: {refused}"
            );
        }
    }
    assert_eq!(provisions(&tenant), before);
    let run = shell.run(&["provision", "-f", &file, "--yes"]).exits(0);
    assert!(run.stderr.contains(said), "{run:?}");
    // It is theirs too now.
    shell.run(&["provision", "-f", &file]).exits(0);
}

#[test]
fn the_history_of_one_customer_is_not_that_of_another() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("provision 203.0.113.11 -c 77").exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    shell
        .line("rules add web-1 22 -m asked-for-by-them")
        .exits(0);
    shell.line("pricing set endpoint 2.5 EUR").exits(0);
    let operations = |line: &str| {
        let changes = shell.line(line).exits(0).json();
        let changes = changes.as_array().expect("a list").iter();
        let names = changes.filter_map(|change| change["operation"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(operations("history -c 77 -o json"), ["provision_endpoint"]);
    assert_eq!(
        operations("history -c 42 -o json"),
        [
            "provision_endpoint",
            "update_endpoint",
            "suspend_endpoint",
            "create_rule"
        ]
    );
    assert!(operations(&format!("history -c {NOBODY} -o json")).is_empty());
    assert_eq!(operations("history -o json").len(), 6);
    let first = shell.line("history -c 42 -o ids -L 1").exits(0).stdout;
    let show = format!("history show {}", first.trim());
    shell.line(&format!("{show} -c 42")).exits(0);
    shell.line(&format!("{show} -c 77")).exits(4);
    let table = shell.line("history -o csv").exits(0).stdout;
    let heading = table.lines().next().unwrap_or_default();
    assert!(heading.contains("customer"), "{table}");
}

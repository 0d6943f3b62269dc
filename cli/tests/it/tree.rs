//! Every command there is, read from the program's own help, with words that make each of them work. A command that is
//! missing here fails the walks.

use crate::shell::{Account, Run, Shell, finished, provision};
use secmon_mock::{Instant, MockServer, Progress, TenantOptions};
use std::time::Duration;

/// What a command does when its words are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It changes something at the service.
    Changes,
    /// Anything else.
    Other,
}

use Kind::{Changes, Other};

/// The words behind a command. RULE, ALERT, LEAK and CHANGE stand for ids that are there.
const SAMPLES: &[(&str, Kind, &str)] = &[
    ("provision", Changes, "198.51.100.1 -c 42 --nickname new-1"),
    ("scan", Changes, "web-1"),
    ("status", Other, "-c 42"),
    ("open", Other, "web-1"),
    ("customer list", Other, ""),
    ("customer show", Other, "42"),
    ("customer suspend", Changes, "43 -y"),
    ("customer resume", Changes, "44"),
    ("customer leave", Changes, "43 --confirm=43"),
    ("endpoint list", Other, ""),
    ("endpoint show", Other, "web-1"),
    ("endpoint history", Other, "web-1"),
    ("endpoint provision", Changes, "198.51.100.2 -c 42"),
    ("endpoint add", Changes, "198.51.100.3 -c 42"),
    ("endpoint move", Changes, "web-5 198.51.100.9 -y"),
    ("endpoint rename", Changes, "web-5 web-9"),
    ("endpoint suspend", Changes, "web-1"),
    ("endpoint resume", Changes, "web-1 203.0.113.44"),
    ("endpoint terminate", Changes, "web-3 -y"),
    ("endpoint delete", Changes, "web-4 -y"),
    ("endpoint scan", Changes, "web-2"),
    ("endpoint wait", Other, "web-1 --wait-timeout 1s"),
    ("rules list", Other, ""),
    ("rules summary", Other, "-c 42"),
    (
        "rules add",
        Changes,
        // Not on web-1: of several rules that are copied together any may be the first to be answered.
        "web-2 8443 -m asked-for-by-the-customer",
    ),
    ("rules show", Other, "RULE"),
    ("rules edit", Changes, "RULE -m asked-for-once-more"),
    ("undo", Changes, "-y"),
    ("rules copy", Changes, "web-1 --to web-2"),
    ("rules remove", Changes, "RULE -y"),
    ("rules import", Changes, "web-2 dump.txt -y"),
    ("domain list", Other, "-c 42"),
    ("domain show", Other, "example.com -c 42"),
    (
        "domain provision",
        Changes,
        "example.org --service 501 -c 42",
    ),
    ("domain leaks", Other, "example.com -c 42"),
    ("domain mentions", Other, "example.com -c 42"),
    ("domain history", Other, "example.com -c 42"),
    ("domain suspend", Changes, "example.com -c 42"),
    ("domain resume", Changes, "example.com example.dev -c 42"),
    ("domain terminate", Changes, "example.net -y -c 42"),
    ("domain rename", Changes, "example.dev example.edu -c 42"),
    (
        "domain move",
        Changes,
        "example.org --customer-to 45 --service 545 -y -c 42",
    ),
    (
        "domain release",
        Changes,
        "example.info --service 501 --confirm=example.info -c 42",
    ),
    (
        "subscription set",
        Changes,
        "502 --product port_monitoring --plan business -c 42 -y",
    ),
    ("subscription plans", Other, ""),
    (
        "subscription change",
        Changes,
        "501 --product domain_monitoring --quantity 9 -y -c 42",
    ),
    (
        "subscription suspend",
        Changes,
        "501 --product domain_monitoring -y -c 42",
    ),
    (
        "subscription resume",
        Changes,
        "501 --product domain_monitoring -c 42",
    ),
    (
        "subscription terminate",
        Changes,
        "501 --product domain_monitoring -y -c 42",
    ),
    ("sync", Changes, "-f services.csv"),
    ("alert list", Other, "-c 42"),
    ("alert show", Other, "ALERT -c 42"),
    ("alert ack", Changes, "LEAK -c 42"),
    (
        "alert allow",
        Changes,
        "ALERT -m asked-for-by-the-customer -c 42",
    ),
    ("alert triage", Other, "-c 42"),
    ("alert watch", Other, "-c 42 --interval 1s --for 1s"),
    ("alert resolve", Changes, "LEAK --ack -c 42"),
    ("sso link", Changes, "-c 42"),
    ("pricing set", Changes, "endpoint 2.5 EUR"),
    ("pricing remove", Changes, "endpoint"),
    ("sandbox scenario list", Other, ""),
    ("sandbox scenario set", Changes, "warnings"),
    ("report", Other, "-c 42 --html page.html"),
    ("health", Other, ""),
    ("doctor", Other, ""),
    ("api", Changes, "sandbox/scenario -f scenario=warnings"),
    ("auth login", Other, "--key-stdin"),
    ("auth status", Other, ""),
    ("auth logout", Other, ""),
    ("profile list", Other, ""),
    (
        "profile create",
        Other,
        "other --base-url https://portal.example",
    ),
    ("profile show", Other, "spare"),
    ("profile rename", Other, "spare moved"),
    ("profile use", Other, "idle"),
    ("profile delete", Other, "idle -y"),
    ("config list", Other, ""),
    ("config get", Other, "profiles.other.base_url"),
    ("config set", Other, "profiles.other.customer 7"),
    ("config unset", Other, "profiles.other.base_url"),
    ("config path", Other, ""),
    ("config edit", Other, ""),
    ("history", Other, ""),
    ("history show", Other, "CHANGE"),
    ("mock serve", Other, "--listen nowhere"),
    ("mock clock show", Other, ""),
    ("mock clock advance", Other, "1m"),
    ("mock fault add", Other, "latency=1ms --path /none"),
    ("mock fault list", Other, ""),
    ("mock fault clear", Other, ""),
    ("mock requests", Other, "--path /none"),
    ("mock trigger port-open", Other, "web-1 8443"),
    ("mock trigger port-closed", Other, "web-1 8443"),
    ("mock trigger leak", Other, "example.com -c 42"),
    ("mock trigger mention", Other, "example.com -c 42"),
    ("mock reset", Other, ""),
    ("mock state export", Other, ""),
    ("mock state import", Other, "state.json"),
    ("completion", Other, "bash"),
    ("man", Other, ""),
    ("version", Other, ""),
    ("help", Other, ""),
];

const DUMP: &str = "*filter\n-A INPUT -p tcp -m tcp --dport 9090 -j ACCEPT\nCOMMIT\n";
const SERVICES: &str =
    "service_id,client_id,product_slug,status\n501,42,domain_monitoring,active\n";
const PROFILES: &str = "\
[profiles.spare]
base_url = \"https://portal.spare.example\"

[profiles.idle]
base_url = \"https://portal.idle.example\"
";

/// A command that runs something, as its words.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub words: Vec<String>,
    pub kind: Kind,
    /// What stands behind the words.
    pub sample: Vec<String>,
}

impl Leaf {
    /// The whole command line.
    pub fn line(&self) -> Vec<&str> {
        self.words
            .iter()
            .chain(&self.sample)
            .map(String::as_str)
            .collect()
    }
}

/// The groups of the first page.
pub const GROUPS: [&str; 4] = [
    "Daily work:",
    "Customers and billing:",
    "This computer:",
    "For developers:",
];

/// The commands that the first page names, each group under its heading.
pub fn commands_of_first_page(page: &str) -> Vec<String> {
    let named = GROUPS.iter().flat_map(|group| listed_under(page, group));
    named.chain(["help".to_owned()]).collect()
}

/// The names that a page of help lists under a heading.
fn listed_under(page: &str, heading: &str) -> Vec<String> {
    page.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.trim_start().split("  ").next())
        .flat_map(|names| names.split(", "))
        .map(str::to_owned)
        .collect()
}

/// The words of every command, those with commands below them apart.
pub fn commands() -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let shell = Shell::new();
    let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
    let mut waiting = vec![Vec::<String>::new()];
    while let Some(words) = waiting.pop() {
        let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
        line.push("-h");
        let page = shell.run(&line).exits(0).stdout;
        let below = match words.as_slice() {
            [] => commands_of_first_page(&page),
            _ => listed_under(&page, "Commands:"),
        };
        for name in &below {
            waiting.push(words.iter().cloned().chain([name.clone()]).collect());
        }
        // `history` alone is a command too.
        let runs_alone = below.is_empty() || words == ["history"];
        if runs_alone {
            leaves.push(words.clone());
        }
        if !below.is_empty() {
            nodes.push(words);
        }
    }
    leaves.sort();
    // It takes away what the others need.
    leaves.sort_by_key(|leaf| leaf == &["mock", "reset"]);
    (nodes, leaves)
}

/// An account where everything that the samples name is there.
pub struct Scene {
    /// Serves as long as it is held.
    _server: MockServer,
    pub tenant: Account,
    pub shell: Shell,
    names: Vec<(&'static str, String)>,
}

impl Scene {
    pub fn new() -> Self {
        const NEW_YEAR_2026: i64 = 1_767_225_600_000;
        let start = Instant::from_unix_millis(NEW_YEAR_2026);
        let server = MockServer::builder()
            .seed(7)
            .manual_clock(start)
            .start()
            .expect("the mock starts");
        let mut options = TenantOptions::default();
        options.rate_limit = Some(false);
        let tenant = Account::of(server.tenant_with(options).expect("an account"));
        tenant
            .set_progress(Progress::Immediate)
            .expect("the account is there");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_secmon"));
        let folder = program.parent().expect("a folder").display().to_string();
        let shell = Shell::of(&tenant)
            .with("PATH", &format!("{folder}:/usr/bin:/bin"))
            .with("USER", "kim")
            .with("SECMON_MOCK_ADMIN_URL", server.admin_url())
            .with("BROWSER", "/bin/true");
        let names = furnish(&shell);
        // A scan may follow at once.
        tenant
            .advance(Duration::from_secs(600))
            .expect("the account is there");
        Self {
            _server: server,
            tenant,
            shell,
            names,
        }
    }

    /// All commands that run something, with their samples; one without a sample is a test that was forgotten.
    pub fn leaves(&self) -> Vec<Leaf> {
        let (_, leaves) = commands();
        let words: Vec<String> = leaves.iter().map(|words| words.join(" ")).collect();
        for (command, _, _) in SAMPLES {
            assert!(
                words.iter().any(|words| words == command),
                "{command} is gone"
            );
        }
        let sampled = |words: &Vec<String>| {
            let found = SAMPLES
                .iter()
                .find(|(command, _, _)| words.join(" ") == *command);
            let (_, kind, sample) =
                found.unwrap_or_else(|| panic!("{words:?} has no sample in tree.rs"));
            Leaf {
                words: words.clone(),
                kind: *kind,
                sample: sample
                    .split_whitespace()
                    .map(|word| self.named(word))
                    .collect(),
            }
        };
        let mut all: Vec<Leaf> = leaves.iter().map(sampled).collect();
        // In the order of the table, which takes nothing away before it is needed.
        all.sort_by_key(|leaf| {
            SAMPLES
                .iter()
                .position(|(command, _, _)| leaf.words.join(" ") == *command)
        });
        all
    }

    fn named(&self, word: &str) -> String {
        let known = self.names.iter().find(|(name, _)| *name == word);
        known.map_or(word.to_owned(), |(_, id)| id.clone())
    }
}

fn furnish(shell: &Shell) -> Vec<(&'static str, String)> {
    for (at, name) in ["web-1", "web-2", "web-3", "web-4", "web-5"]
        .iter()
        .enumerate()
    {
        provision(shell, &format!("203.0.113.{}", at + 10), name);
    }
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 8 -c 42")
        .exits(0);
    shell
        .line("subscription set 545 --product domain_monitoring -c 45")
        .exits(0);
    // One after the other: of several that go out together any may be the first to arrive, and ids follow the order.
    for name in ["com", "net", "info", "dev", "org"] {
        shell
            .line(&format!(
                "domain provision example.{name} --service 501 -c 42"
            ))
            .exits(0);
    }
    shell.line("domain suspend example.dev -c 42").exits(0);
    // Each with one server: of several that go out together any may be the first in the history.
    shell.line("provision 203.0.113.43 -c 43").exits(0);
    shell.line("provision 203.0.113.44 -c 44").exits(0);
    shell.line("customer suspend 44 -y").exits(0);
    let rule = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "22",
            "-m",
            "for the operations team",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    let first = |line: &str| {
        let list = shell.line(line).exits(0).stdout;
        list.lines().next().expect("one is there").to_owned()
    };
    shell.file("dump.txt", DUMP);
    shell.file("services.csv", SERVICES);
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    shell.file(".config/secmon/config.toml", PROFILES);
    let state = shell.line("mock state export").exits(0).stdout;
    shell.file("state.json", &state);
    vec![
        ("RULE", rule["id"].as_str().expect("an id").to_owned()),
        (
            "ALERT",
            first("alert list --endpoint web-1 --status open -o ids"),
        ),
        ("LEAK", first("alert list -c 42 --kind domain -o ids")),
        ("CHANGE", first("history -o ids")),
    ]
}

/// Runs to the end; a command that hangs fails the test by its name.
pub fn run_to_the_end(shell: &Shell, line: &[&str]) -> Run {
    const PATIENCE: Duration = Duration::from_secs(60);
    let command = shell.command(line);
    let (end, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || end.send(finished(command)));
    ended
        .recv_timeout(PATIENCE)
        .unwrap_or_else(|_| panic!("{line:?} hangs"))
}

//! What a person sees: every screen at three widths, and with colour. The clock stands and the ids follow from a seed,
//! so the screens are the same every time. After a wanted change: INSTA_UPDATE=always, and read what is different.

use crate::terminal::Terminal;
use crate::tree::{Leaf, Scene};
use insta::assert_snapshot;

/// Commands that ask, that serve, or whose page has a snapshot of its own; and what ends the account, which comes last.
const LEFT_OUT: [&str; 11] = [
    "alert triage",
    "auth login",
    "completion",
    "config edit",
    "help",
    "man",
    "mock reset",
    "mock serve",
    "mock state export",
    "mock state import",
    "version",
];

/// Further screens: runs over many, dry runs, refusals, and what is empty.
const MORE: [&str; 20] = [
    "status",
    "provision -f servers.csv",
    "provision -f broken.csv",
    "provision -f servers.csv -n",
    "provision 192.0.2.1 --nickname other -c 42 -n",
    "provision web.example.com -c 42",
    "endpoint list -c 7",
    "endpoint list -o wide -L 2",
    "endpoint show nobody",
    "endpoint suspend web-1 web-2 new-1",
    "endpoint scan web-1 web-2 new-1 --wait",
    "endpoint terminate web-1",
    "endpoint wait 198.51.100.3 --for paused --wait-timeout 1s",
    "rules add web-1 9090 -m short",
    "rules add web-2 9090 -m asked-for-by-the-customer",
    "alert list",
    "alert ack --all --severity medium -c 42",
    "domain provision example.edu --service 501 -c 7",
    "subscription change 501 --product domain_monitoring --quantity 1 -y -c 42",
    "mock reset",
];

const SERVERS: &str =
    "target,customer,nickname\n192.0.2.21,43,db-1\n2001:db8::21,43,db-2\n203.0.113.10,42,\n";
const BROKEN: &str = "target,customer,nickname\n192.0.2.300,43,db-1\n192.0.2.22,none,db-2\n,43,\n";

/// Every screen of a terminal this wide, in the order of the samples.
fn screens(columns: u16, more: &[&str]) -> String {
    let scene = Scene::new();
    scene.shell.file("servers.csv", SERVERS);
    scene.shell.file("broken.csv", BROKEN);
    let leaves = scene.leaves();
    let of_commands = leaves
        .iter()
        .filter(|leaf| !LEFT_OUT.contains(&leaf.words.join(" ").as_str()))
        .map(Leaf::line);
    let further = MORE.iter().map(|line| line.split_whitespace().collect());
    let mut all = String::new();
    for mut line in of_commands.chain(further) {
        let shown = line.join(" ");
        line.extend(["--no-input", "--no-progress", "--time", "utc"]);
        line.extend(more);
        let (code, screen) = Terminal::start(&scene.shell, columns, &line).ends();
        let end = if code == 0 {
            String::new()
        } else {
            format!("(exit code {code})\n")
        };
        all.push_str(&format!("\n$ secmon {shown}\n{screen}{end}"));
    }
    steady(&scene, &all)
}

/// Without what differs from run to run; each replacement is as wide as what it replaces, where a table has it.
fn steady(scene: &Scene, screen: &str) -> String {
    let home = scene.shell.path("").display().to_string();
    let address = scene.tenant.url().trim_start_matches("http://").to_owned();
    let mut text = screen
        .replace("\r\n", "\n")
        .replace(home.trim_end_matches('/'), "HOME")
        .replace(&address, "127.0.0.1:45678");
    for (pattern, with) in [
        (" [0-9]+ ms", " 5 ms"),
        ("clock is [0-9]+ s ahead", "clock is 28000000 s ahead"),
        ("[0-9a-f]{32}", "00112233445566778899aabbccddeeff"),
        // The history has the time of this computer, and ids of its own.
        (
            r"(2026-(0[2-9]|1[0-2])|20(2[7-9]|[3-9][0-9])-\d\d)-\d\dT\d\d:\d\d:\d\d",
            "2026-11-21T07:31:13",
        ),
        ("(?m)^[0-9a-f]{8}(  2026-11-21T)", "00112233${1}"),
        (r"\b[0-9a-f]{8}(\s+\()", "00112233${1}"),
        (
            r"(?m)^[0-9a-f]{8}  (2026-(0[2-9]|1[0-2])|20(2[7-9]|[3-9][0-9])-\d\d)-\d\d \d\d:\d\d",
            "00112233  2026-11-21 07:31",
        ),
        // The changes of a server's history, likewise.
        (
            r"(?m)^  (2026-(0[2-9]|1[0-2])|20(2[7-9]|[3-9][0-9])-\d\d)-\d\d \d\d:\d\d",
            "  2026-11-21 07:31",
        ),
    ] {
        let pattern = regex_lite::Regex::new(pattern).expect("a pattern");
        text = pattern.replace_all(&text, with).into_owned();
    }
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn without_colour(text: &str) -> String {
    let colour = regex_lite::Regex::new("\u{1b}\\[[0-9;]*m").expect("a pattern");
    colour
        .replace_all(text, "")
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn sixty_columns() {
    let plain = screens(60, &["--color", "never"]);
    assert_snapshot!("screens at 60 columns", plain);
}

#[test]
fn eighty_columns_with_and_without_colour() {
    let plain = screens(80, &["--color", "never"]);
    assert_snapshot!("screens at 80 columns", plain);
    let coloured = screens(80, &["--color", "always"]);
    for (line, same) in without_colour(&coloured).lines().zip(plain.lines()) {
        assert_eq!(line, same);
    }
    assert_eq!(coloured.lines().count(), plain.lines().count());
    assert!(!plain.contains('\u{1b}'));
    assert_snapshot!("screens at 80 columns in colour", coloured);
}

#[test]
fn a_hundred_and_twenty_columns() {
    let plain = screens(120, &["--color", "never"]);
    assert_snapshot!("screens at 120 columns", plain);
}

#[test]
fn five_tables_at_five_widths_without_colour() {
    let scene = Scene::new();
    let long = "the old web server of the sales department in the second data centre";
    for (address, name) in [
        ("2001:db8:85a3::8a2e:370:7334", long),
        ("198.51.100.9", "db-1"),
    ] {
        let line = ["provision", address, "-c", "4242424242", "--nickname", name];
        scene.shell.run(&line).exits(0);
    }
    for i in 2..=9 {
        let (address, name) = (format!("198.51.100.{}", 8 + i), format!("db-{i}"));
        let line = [
            "provision",
            &address,
            "-c",
            "4242424242",
            "--nickname",
            &name,
        ];
        scene.shell.run(&line).exits(0);
    }
    scene
        .shell
        .run(&[
            "rules",
            "add",
            "db-1",
            "8000-8100/tcp",
            "-m",
            &long.repeat(3),
            "--expires",
            "2099-12-31",
        ])
        .exits(0);
    let mut all = String::new();
    for columns in [60, 80, 100, 120, 200] {
        for line in [
            "endpoint list",
            "rules list",
            "domain list -c 42",
            "alert list -c 4242424242",
            "history -L 4",
        ] {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            words.extend(["--time", "utc"]);
            let shell = &scene.shell;
            let (code, screen) =
                Terminal::start_with(shell, columns, &words, &[("NO_COLOR", "1")]).ends();
            assert_eq!(code, 0, "{screen}");
            assert!(!screen.contains('\u{1b}'), "{screen:?}");
            let widest = screen
                .lines()
                .map(|line| line.trim_end().chars().count())
                .max();
            assert!(
                widest.unwrap_or_default() <= usize::from(columns),
                "{columns}: {screen}"
            );
            all.push_str(&format!("\n{columns} columns: {line}\n{screen}"));
        }
    }
    assert_snapshot!("five tables", steady(&scene, &all));
}

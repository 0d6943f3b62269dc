//! Many at once change the configuration, and nobody's change is lost.

use crate::shell::{Run, Shell, account};
use std::fs::File;
use std::time::{Duration, Instant};

const MANY: usize = 100;

/// Starts all of them before the first is waited for.
fn all_at_once(shell: &Shell, lines: &[Vec<String>], input: &str) -> Vec<Run> {
    let started = lines.iter().map(|line| {
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        shell.start(input, &line)
    });
    let children: Vec<_> = started.collect();
    let ends = children.into_iter().map(|child| child.wait_with_output());
    ends.map(|output| Run::of(&output.expect("the program ends")))
        .collect()
}

#[test]
fn a_hundred_logins_at_once_keep_a_hundred_profiles() {
    let tenant = account();
    let shell = Shell::new();
    let lines: Vec<Vec<String>> = (0..MANY)
        .map(|n| {
            let line = format!(
                "auth login --profile p{n} --base-url {} --key-stdin",
                tenant.url()
            );
            line.split(' ').map(str::to_owned).collect()
        })
        .collect();
    for run in all_at_once(&shell, &lines, tenant.api_key()) {
        run.exits(0);
    }
    let kept = shell.line("profile list -o ids").exits(0).stdout;
    assert_eq!(kept.lines().count(), MANY, "{kept}");
}

#[test]
fn settings_and_profiles_that_are_changed_at_once_are_all_kept() {
    let shell = Shell::new();
    let mut lines: Vec<String> = (0..10)
        .map(|n| format!("profile create p{n} --base-url https://p{n}.example"))
        .collect();
    for line in &lines {
        shell.line(line).exits(0);
    }
    // Profiles 8 and 9 are renamed and deleted meanwhile.
    lines = (0..8)
        .flat_map(|n| {
            [
                format!("config set profiles.p{n}.customer {}", n + 1),
                format!("profile create q{n} --base-url https://q{n}.example"),
            ]
        })
        .collect();
    lines.extend(["profile rename p8 r8", "profile delete p9 --yes"].map(str::to_owned));
    let lines: Vec<Vec<String>> = lines
        .iter()
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    for run in all_at_once(&shell, &lines, "") {
        run.exits(0);
    }
    let kept = shell.line("profile list -o json").exits(0).json();
    let customer = |name: &str| {
        let profiles = kept.as_array().into_iter().flatten();
        let mut named = profiles.filter(|profile| profile["name"] == name);
        named.next().expect("it is kept")["customer"].clone()
    };
    for n in 0..8 {
        assert_eq!(customer(&format!("p{n}")), n + 1, "{kept}");
        customer(&format!("q{n}"));
    }
    customer("r8");
}

#[test]
fn of_two_that_make_one_profile_the_second_is_told() {
    let shell = Shell::new();
    let line = |n: usize| format!("profile create same --base-url https://p{n}.example");
    let lines: Vec<Vec<String>> = (0..8)
        .map(|n| line(n).split(' ').map(str::to_owned).collect())
        .collect();
    let runs = all_at_once(&shell, &lines, "");
    let made = runs.iter().filter(|run| run.code == 0).count();
    assert_eq!(made, 1, "{runs:?}");
    assert!(
        runs.iter().all(|run| run.code == 0 || run.code == 2),
        "{runs:?}"
    );
}

#[test]
fn a_configuration_that_another_holds_is_waited_for_and_not_for_ever() {
    let shell = Shell::new();
    shell
        .line("profile create p --base-url https://p.example")
        .exits(0);
    let path = shell.path(".config/secmon/config.lock");
    let held = File::create(&path).expect("the lock file");
    held.lock().expect("nobody holds it");
    let started = Instant::now();
    let run = shell
        .line("config set profiles.p.customer 42 -o json")
        .exits(7);
    assert!(started.elapsed() < Duration::from_secs(300));
    let error = run.error();
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains(&path.display().to_string()), "{error}");
    assert_eq!(error["retryable"], true);
    // What only reads needs no lock.
    shell.line("config get profiles.p.base_url").exits(0);
    drop(held);
    shell.line("config set profiles.p.customer 42").exits(0);
}

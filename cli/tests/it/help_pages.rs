//! The whole help, as one text. After a wanted change: INSTA_UPDATE=always, and read what is different.

use crate::shell::Shell;
use crate::tree::commands;
use insta::assert_snapshot;

const TOPICS: [&str; 6] = [
    "exit-codes",
    "environment",
    "output",
    "references",
    "pace",
    "csv",
];

/// The options that every command has, which the first page shows.
fn own_part(page: &str) -> String {
    let mut kept = String::new();
    let mut passing = false;
    for line in page.lines() {
        if line.ends_with(':') && !line.starts_with(' ') {
            passing = matches!(
                line,
                "Which service:" | "Output:" | "Questions and safety:" | "Time and pace:"
            );
        } else if !line.starts_with(' ') && !line.is_empty() {
            passing = false;
        }
        if !passing {
            kept.push_str(line.trim_end());
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn every_page_of_help() {
    let shell = Shell::new();
    let (nodes, leaves) = commands();
    let mut pages: Vec<Vec<String>> = nodes.into_iter().chain(leaves).collect();
    pages.sort();
    pages.dedup();
    let mut all = String::new();
    for words in pages {
        let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
        line.push("--help");
        let page = shell.run(&line).exits(0).stdout;
        let shown = if words.is_empty() {
            page
        } else {
            own_part(&page)
        };
        all.push_str(&format!("\n$ secmon {}\n{shown}", line.join(" ")));
    }
    for topic in TOPICS {
        let page = shell.run(&["help", topic]).exits(0).stdout;
        all.push_str(&format!("\n$ secmon help {topic}\n{page}"));
    }
    assert_snapshot!("the whole help", all);
}

#[test]
fn completion_answers_without_a_network() {
    let shell = Shell::new()
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .with("SECMON_API_KEY", "a-key-for-nobody");
    for name in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = shell.line(&format!("completion {name}")).exits(0).stdout;
        assert!(script.contains("secmon"), "{name}");
    }
    let run = shell.line("man --dir pages").exits(0);
    let (nodes, leaves) = commands();
    let mut pages: Vec<Vec<String>> = nodes.into_iter().chain(leaves).collect();
    pages.sort();
    pages.dedup();
    for words in pages {
        let name: Vec<String> = std::iter::once("secmon".to_owned()).chain(words).collect();
        let page = shell.path("pages").join(format!("{}.1", name.join("-")));
        assert!(page.exists(), "{page:?}: {run:?}");
    }
}

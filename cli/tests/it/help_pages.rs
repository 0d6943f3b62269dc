//! The whole help, as it is laid out for a wide screen without colours. After a wanted change: INSTA_UPDATE=always, and
//! read what is different.

use crate::shell::Shell;
use crate::tree::{GROUPS, commands, commands_of_first_page};
use insta::assert_snapshot;

const TOPICS: [&str; 7] = [
    "options",
    "exit-codes",
    "environment",
    "output",
    "references",
    "pace",
    "csv",
];

const FORMS: [&str; 2] = ["--help", "-h"];

/// Stands for the options of every command, which come first.
const OPTIONS_OF_EVERY_COMMAND: &str = "[options of every command]";

/// Where these options are on a page.
fn options_of_every_command(page: &str) -> std::ops::Range<usize> {
    let begin = page.find("Which service:\n").expect("their first heading");
    let last = begin
        + page[begin..]
            .find("--rate-limits")
            .unwrap_or_else(|| page[begin..].find("--dry-run").expect("their last option"));
    let behind = page[last..]
        .find("\n\n")
        .map_or(page.len(), |end| last + end + 1);
    begin..behind
}

fn every_command() -> Vec<Vec<String>> {
    let (nodes, leaves) = commands();
    let mut every: Vec<Vec<String>> = nodes.into_iter().chain(leaves).collect();
    every.sort();
    every.dedup();
    every
}

fn line<'a>(words: &'a [String], form: &'a str) -> Vec<&'a str> {
    words.iter().map(String::as_str).chain([form]).collect()
}

#[test]
fn every_page_of_help() {
    let shell = Shell::new();
    let page_of = |words: &[&str]| shell.run(words).exits(0).stdout;
    let mut all = String::new();
    for form in FORMS {
        let first = page_of(&["status", form]);
        let everywhere = &first[options_of_every_command(&first)];
        all.push_str(&format!(
            "$ {OPTIONS_OF_EVERY_COMMAND} {form}\n{everywhere}"
        ));
        for words in every_command() {
            let line = line(&words, form);
            let mut page = page_of(&line);
            if !words.is_empty() {
                let options = options_of_every_command(&page);
                assert_eq!(&page[options.clone()], everywhere, "{line:?}");
                page.replace_range(options, &format!("{OPTIONS_OF_EVERY_COMMAND}\n"));
            }
            all.push_str(&format!("$ secmon {}\n{page}", line.join(" ")));
        }
    }
    insta::with_settings!({ omit_expression => true }, { assert_snapshot!("pages", all) });
}

#[test]
fn help_of_a_command_shows_its_short_page() {
    let shell = Shell::new();
    for words in every_command() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let short = shell.run(&[&words[..], &["-h"]].concat()).exits(0).stdout;
        let page = shell.run(&[&["help"], &words[..]].concat()).exits(0).stdout;
        assert_eq!(page, short, "{words:?}");
    }
}

#[test]
fn a_command_without_the_word_it_needs_shows_its_page() {
    let shell = Shell::new();
    for words in commands().0.iter().filter(|words| *words != &["history"]) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let short = shell.run(&[&words[..], &["-h"]].concat()).exits(0).stdout;
        assert_eq!(shell.run(&words).exits(2).stderr, short, "{words:?}");
    }
}

#[test]
fn the_first_page_fits_a_screen_and_names_every_command() {
    const LINES: usize = 40;
    let page = Shell::new().line("--help").exits(0).stdout;
    assert!(page.lines().count() <= LINES, "{page}");
    for group in GROUPS {
        assert!(page.contains(&format!("\n{group}\n")), "{group}");
    }
    for name in names_in_man_page() {
        assert!(commands_of_first_page(&page).contains(&name), "{name}");
    }
}

/// The commands that the manual page names: it is made of what the parser knows.
fn names_in_man_page() -> Vec<String> {
    let page = Shell::new().line("man").exits(0).stdout;
    let names = page
        .lines()
        .filter_map(|line| line.strip_prefix("secmon\\-"));
    names
        .filter_map(|line| line.split('(').next())
        .map(|name| name.replace('\\', ""))
        .collect()
}

#[test]
fn every_topic_of_help() {
    let shell = Shell::new();
    let mut all = String::new();
    for topic in TOPICS {
        let page = shell.run(&["help", topic]).exits(0).stdout;
        all.push_str(&format!("\n$ secmon help {topic}\n{page}"));
    }
    assert_snapshot!("topics", all);
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
    for words in every_command() {
        let name: Vec<String> = std::iter::once("secmon".to_owned()).chain(words).collect();
        let page = shell.path("pages").join(format!("{}.1", name.join("-")));
        assert!(page.exists(), "{page:?}: {run:?}");
    }
}

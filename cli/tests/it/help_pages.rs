//! The whole help. The program keeps these pages (build.rs), as they are laid out for a wide screen without colours.
//! After a wanted change: INSTA_UPDATE=always, read what is different, and run once more.

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

/// Where pages are laid out by the parser: they are for a screen of this width, and not kept.
fn laid_out() -> Shell {
    Shell::new().with("COLUMNS", "100")
}

fn line<'a>(words: &'a [String], form: &'a str) -> Vec<&'a str> {
    words.iter().map(String::as_str).chain([form]).collect()
}

#[test]
fn every_page_of_help() {
    let shell = laid_out();
    let page_of = |words: &[&str]| shell.run(words).exits(0).stdout;
    let mut all = String::new();
    for form in FORMS {
        let first = page_of(&[form]);
        let everywhere = &first[options_of_every_command(&first)];
        all.push_str(&format!(
            "$ {OPTIONS_OF_EVERY_COMMAND} {form}\n{everywhere}"
        ));
        for words in every_command() {
            let line = line(&words, form);
            let mut page = page_of(&line);
            let options = options_of_every_command(&page);
            assert_eq!(&page[options.clone()], everywhere, "{line:?}");
            page.replace_range(options, &format!("{OPTIONS_OF_EVERY_COMMAND}\n"));
            all.push_str(&format!("$ secmon {}\n{page}", line.join(" ")));
        }
    }
    insta::with_settings!({
        snapshot_path => "../../src/commands/help",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { assert_snapshot!("pages", all) });
}

/// A page shows the same whether it is kept or laid out.
#[track_caller]
fn is_kept_as_laid_out(line: &[&str], exit: i32) {
    let kept = Shell::new().run(line).exits(exit);
    let laid_out = laid_out().run(line).exits(exit);
    assert_eq!(kept.stdout, laid_out.stdout, "{line:?}");
    assert_eq!(kept.stderr, laid_out.stderr, "{line:?}");
}

#[test]
fn a_kept_page_is_what_the_parser_would_lay_out() {
    for words in every_command() {
        for form in FORMS {
            is_kept_as_laid_out(&line(&words, form), 0);
        }
        let words = words.iter().map(String::as_str);
        is_kept_as_laid_out(&["help"].into_iter().chain(words).collect::<Vec<_>>(), 0);
    }
}

#[test]
fn a_command_without_the_word_it_needs_shows_its_page() {
    for words in commands().0.iter().filter(|words| *words != &["history"]) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        is_kept_as_laid_out(&words, 2);
    }
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

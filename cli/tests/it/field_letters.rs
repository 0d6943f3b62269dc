//! Files of the field whose letters are neither UTF-8 nor said.

use crate::field_files::{content, names, provision, refused, shell_with};
use crate::terminal::Terminal;

#[test]
fn letters_are_not_guessed_where_nobody_can_be_asked() {
    for (file, charset, cell) in [
        (
            "czech-windows-1250.csv",
            "windows-1250",
            "Jiří Dvořák s.r.o.",
        ),
        ("polish-cp852.csv", "cp852", "Łódź główny"),
        ("german-mac.csv", "macintosh", "Büro"),
        (
            "russian-windows-1251.csv",
            "windows-1251",
            "Сервер бухгалтерии",
        ),
    ] {
        refused(
            file,
            &[],
            &[
                "is not UTF-8, and its encoding cannot be guessed safely",
                "--encoding NAME",
                &format!("as {charset} it says"),
                cell,
            ],
        );
    }
    refused(
        "two-encodings.csv",
        &[],
        &["is UTF-8 in some lines and not in others (first in line 3)"],
    );
    refused(
        "czech-windows-1250.csv",
        &["--encoding", "klingon"],
        &["--encoding: \"klingon\" is not known"],
    );
    refused(
        "czech-windows-1250.csv",
        &["--encoding", "utf-8"],
        &["is not valid utf-8"],
    );
}

#[test]
fn letters_that_are_named_are_read_and_written_back() {
    for (file, name, more, nickname) in [
        (
            "czech-windows-1250.csv",
            "CP1250",
            ["--map", "Zákazník=customer", "--map", "Název=nickname"].as_slice(),
            "Účetní server",
        ),
        ("polish-cp852.csv", "cp852", &[], "Łódź główny"),
        ("german-mac.csv", "mac", &[], "Büro"),
        (
            "russian-windows-1251.csv",
            "windows-1251",
            &[],
            "Сервер бухгалтерии",
        ),
    ] {
        let shell = shell_with(file);
        let options = [&["--encoding", name, "--report", "report.csv"], more].concat();
        provision(&shell, file, &options).exits(0);
        let listed = shell.line("endpoint list -o json").exits(0).json();
        assert_eq!(listed[0]["nickname"], nickname, "{file}");
        let report = std::fs::read(shell.path("report.csv")).expect("the report");
        let row = content(file);
        let start = row
            .windows(3)
            .position(|bytes| bytes == b"203")
            .expect("it");
        let row = row[start..].trim_ascii_end();
        assert!(
            report.windows(row.len()).any(|bytes| bytes == row),
            "{file}: {report:?}"
        );
    }
}

#[test]
fn at_a_terminal_three_cells_are_shown_and_asked_about() {
    let file = "czech-windows-1250.csv";
    let shell = shell_with(file);
    let map = "--map=Zákazník=customer --map=Název=nickname";
    let line = format!("provision -f {file} {map} --existing");
    let arguments: Vec<&str> = line.trim_end_matches(" --existing").split(' ').collect();
    let mut terminal = Terminal::start(&shell, 120, &arguments);
    terminal.shows("As windows-1250 it says");
    terminal.shows("Účetní server");
    terminal.shows("Is that right?");
    terminal.type_keys("n\r");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("so nothing was sent"), "{screen}");
    let mut terminal = Terminal::start(&shell, 120, &arguments);
    terminal.shows("Is that right?");
    terminal.type_keys("y\r");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{screen}");
    let listed = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(listed[0]["nickname"], "Účetní server");
}

#[test]
fn utf_16_needs_no_mark() {
    names("utf-16-without-mark.csv", &[], &["München"]);
}

#[test]
fn text_that_was_saved_in_wrong_letters_is_refused() {
    refused(
        "read-in-wrong-letters.csv",
        &[],
        &[
            "row 2: nickname: \"ZÃ¼rich\" was saved in the wrong encoding (\"Zürich\"?)",
            "row 3: nickname: \"M\u{fffd}nchen\" contains damaged characters",
            "2 rows of",
        ],
    );
    refused(
        "two-encodings.csv",
        &["--encoding", "windows-1252"],
        &["row 2: nickname: \"ZÃ¼rich\" was saved in the wrong encoding"],
    );
}

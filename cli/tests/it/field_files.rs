//! Spreadsheets as programs export them and people change them: what is read, and what is said of the rest.

use crate::shell::{Run, Shell, account};
use serde_json::Value;
use std::path::Path;

pub fn content(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/spreadsheets");
    std::fs::read(folder.join(name)).expect("the file is there")
}

/// A shell with one of the files in its home.
pub fn shell_with(name: &str) -> Shell {
    let shell = Shell::of(&account());
    std::fs::write(shell.path(name), content(name)).expect("the file is written");
    shell
}

pub fn provision(shell: &Shell, name: &str, options: &[&str]) -> Run {
    shell.run(&[&["provision", "-f", name, "-y"], options].concat())
}

/// What is said of a file of which nothing may be sent.
#[track_caller]
pub fn refused(name: &str, options: &[&str], sentences: &[&str]) {
    let tenant = account();
    let shell = Shell::of(&tenant);
    std::fs::write(shell.path(name), content(name)).expect("the file is written");
    let run = provision(&shell, name, options).exits(2);
    for sentence in sentences {
        assert!(run.stderr.contains(sentence), "{sentence}: {}", run.stderr);
    }
    assert!(tenant.journal().is_empty(), "something was sent");
}

/// Address and name of each server that a file made, in the order of the addresses.
#[track_caller]
pub fn servers(name: &str, options: &[&str]) -> (Vec<(String, String)>, Run) {
    let shell = shell_with(name);
    let run = provision(&shell, name, options).exits(0);
    let listed = shell.line("endpoint list -o json").exits(0).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let servers = listed.as_array().expect("a list");
    let mut servers: Vec<_> = servers
        .iter()
        .map(|server| (text(&server["ip_address"]), text(&server["nickname"])))
        .collect();
    servers.sort();
    (servers, run)
}

#[track_caller]
pub fn names(name: &str, options: &[&str], wanted: &[&str]) -> Run {
    let (servers, run) = servers(name, options);
    let names: Vec<&str> = servers.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, wanted, "{run:?}");
    run
}

#[test]
fn columns_and_cells_that_nobody_filled_are_none() {
    names("excel-empty-columns.csv", &[], &["web-1", "web-2"]);
    names("excel-surplus-cells.csv", &[], &["web-1", "web-2"]);
}

#[test]
fn a_line_that_tells_the_delimiter_is_no_heading() {
    refused(
        "excel-separator-line.csv",
        &[],
        &["row 4: target: \"203.0.113.999\""],
    );
}

#[test]
fn formulas_and_their_errors_are_named_as_such() {
    refused(
        "excel-formula-text.csv",
        &[],
        &[
            "row 2: target: \"=\"203.0.113.56\"\" is a formula: write \"203.0.113.56\" alone",
            "customer: \"=\"42\"\" is a formula: write \"42\" alone",
            "row 3: nickname: \"#REF!\" is a formula error: correct it in the spreadsheet",
        ],
    );
}

#[test]
fn rows_of_sums_are_no_servers() {
    refused(
        "totals-row.csv",
        &["--server"],
        &[
            "\"Total\" looks like a totals row: delete it (in rows 3, 4)",
            "row 5: target: \"web2\" is neither an IP address nor a full host name",
        ],
    );
}

#[test]
fn what_stands_around_an_address_is_said_to_be_left_out() {
    refused(
        "netbox.csv",
        &["--map", "Tenant ID=customer"],
        &[
            "row 2: target: \"203.0.113.10/24\" is a network: leave out /24",
            "row 3: target: \"[2001:db8::1]\" has brackets: give 2001:db8::1",
            "row 4: target: \"203.0.113.12-203.0.113.19\" is a range",
        ],
    );
    refused(
        "url-of-address.csv",
        &[],
        &[
            "\"http://203.0.113.32\" is the URL of an address: leave out http://, and give 203.0.113.32",
            "give 2001:db8::7",
        ],
    );
    refused(
        "several-addresses.csv",
        &[],
        &[
            "3 rows: target: \"203.0.113.15, 203.0.113.16\" contains 2 targets: give each its own row (in rows 2, 3, 4)",
        ],
    );
}

#[test]
fn an_address_has_one_spelling() {
    let (made, _) = servers("mapped-address.csv", &[]);
    assert_eq!(made, [("203.0.113.5".to_owned(), "web-1".to_owned())]);
    refused(
        "mapped-address-twice.csv",
        &[],
        &["row 3: \"203.0.113.5\" of customer 42 is already in row 2 with different values"],
    );
    refused(
        "names-with-dots.csv",
        &["--server"],
        &["row 3: \"WEB1.example.com\" of customer 42 is already in row 2 with different values"],
    );
    refused(
        "two-customers.csv",
        &[],
        &["row 4: \"203.0.113.1\" of customer 77 is already in row 2 for customer 42"],
    );
}

#[test]
fn what_is_no_csv_is_named_as_what_it_is() {
    refused(
        "opendocument.csv",
        &[],
        &["is an OpenDocument file: save it as CSV"],
    );
    refused(
        "page.csv",
        &[],
        &["is an HTML or XML document: save it as CSV"],
    );
}

#[test]
fn what_nobody_sees_is_taken_out_and_told() {
    let run = names(
        "invisible.csv",
        &[],
        &[
            "web-1",
            "web\u{a0}2",
            "padded   name",
            "tabin",
            "می\u{200c}خواهم",
            "web-6",
        ],
    );
    let told = "invisible characters taken out of 5 cells (first in row 2, nickname)";
    assert!(run.stderr.contains(told), "{run:?}");
}

#[test]
fn what_stands_for_nothing_is_empty_and_told() {
    let run = names(
        "placeholders.csv",
        &[],
        // The service's own choice where none is sent.
        &["203.0.113.1", "203.0.113.2", "203.0.113.3"],
    );
    let told = "6 cells read as empty (first in row 2: N/A)";
    assert!(run.stderr.contains(told), "{run:?}");
}

#[test]
fn what_stands_for_nothing_is_no_target() {
    refused(
        "placeholders-for-targets.csv",
        &["--domain"],
        &[
            "2 rows: target: \"-\" is not an address: give one, or delete the row (in rows 4, 5)",
            "row 6: target: \"Total\" looks like a totals row",
        ],
    );
}

#[test]
fn an_amount_that_reads_two_ways_is_refused() {
    refused(
        "amounts.csv",
        &[],
        &[
            "2 rows: mrr: \"1.234\" can mean 1234 or 1.234: write it with two decimals, as 1234,00 (in rows 2, 3)",
        ],
    );
    let shell = shell_with("amounts.tsv");
    let planned = provision(&shell, "amounts.tsv", &["-n", "-o", "json"]).exits(0);
    for amount in ["1234.5", "9.9", "1234.56"] {
        assert!(planned.stdout.contains(amount), "{planned:?}");
    }
}

#[test]
fn quotation_marks_that_read_two_ways_are_refused_by_line() {
    refused(
        "quotes.csv",
        &[],
        &[
            "3 rows of",
            "line 4: a backslash does not make a quotation mark part of a text",
            "line 5: there is a space before a cell's opening quotation mark",
            "line 6: there is text after a cell's closing quotation mark",
        ],
    );
    names(
        "good-quotes.csv",
        &[],
        &["say \"hi\"", "5\" rack", "C:\\", "web, 4"],
    );
}

#[test]
fn every_heading_that_a_hint_names_can_be_given_to_map() {
    let file = "odd-headings.csv";
    let shell = shell_with(file);
    let run = provision(&shell, file, &[]).exits(2);
    let hint = run.stderr.split("or ignore them with ").nth(1);
    let hint = hint.expect("a hint").lines().next().expect("a line");
    let line = format!("\"$0\" provision -f {file} -y {hint}");
    let program = shell.command(&[]);
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", &line])
        .arg(program.get_program())
        .current_dir(shell.path(""))
        .env_clear()
        .env("HOME", shell.path(""))
        .envs(shell.variables().iter().map(|(name, value)| (name, value)));
    crate::shell::finished(command).exits(0);
}

#[test]
fn a_title_above_the_headings_is_named() {
    refused(
        "title-above.csv",
        &[],
        &["the headings are in row 3: delete the rows above it"],
    );
}

#[test]
fn what_endpoint_list_prints_goes_back_in() {
    let shell = Shell::of(&account());
    for (address, name) in [
        ("203.0.113.1", "=cmd"),
        ("203.0.113.2", "-"),
        ("2001:db8::7", "web;x"),
    ] {
        let options = ["provision", address, "-c", "42"];
        shell
            .run(&[options.as_slice(), &[&format!("--nickname={name}")]].concat())
            .exits(0);
    }
    let list = shell.line("endpoint list -o csv").exits(0).stdout;
    let other = Shell::of(&account());
    other.file("list.csv", &list);
    let run = provision(&other, "list.csv", &[]).exits(0);
    assert!(run.stderr.contains("status is ignored"), "{run:?}");
    let names = |shell: &Shell| -> Vec<(Value, Value)> {
        let listed = shell.line("endpoint list -o json").exits(0).json();
        let servers = listed.as_array().expect("a list").iter();
        servers
            .map(|server| (server["ip_address"].clone(), server["nickname"].clone()))
            .collect()
    };
    let first: Vec<_> = names(&shell);
    let second: Vec<_> = names(&other);
    assert_eq!(first.len(), second.len());
    assert!(second.contains(&(Value::from("203.0.113.1"), Value::from("=cmd"))));
}

#[test]
fn a_report_keeps_the_line_that_tells_the_delimiter_and_the_line_ends() {
    let shell = Shell::of(&account());
    shell.file("a.csv", "sep=;\r\nIP;Customer\r\n203.0.113.1;42\r\n");
    provision(&shell, "a.csv", &["--report", "report.csv"]).exits(0);
    let report = std::fs::read_to_string(shell.path("report.csv")).expect("the report");
    assert!(
        report.starts_with("sep=;\r\nIP;Customer;secmon_status;secmon_id;secmon_code;secmon_message\r\n203.0.113.1;42;succeeded;"),
        "{report}"
    );
    shell.run(&["provision", "-f", "report.csv"]).exits(0);
}

#[test]
fn a_sync_reads_letters_that_are_named() {
    let shell = Shell::of(&account());
    let rows = b"service_id,client_id,product_slug,status\n501,99,port_monitoring,activ\xe9\n";
    std::fs::write(shell.path("a.csv"), rows).expect("a file");
    let run = shell.line("sync -f a.csv -n").exits(2);
    assert!(run.stderr.contains("--encoding NAME"), "{run:?}");
    let run = shell.line("sync -f a.csv -n --encoding cp1252").exits(2);
    assert!(run.stderr.contains("row 2: status"), "{run:?}");
}

#[test]
fn what_is_wrong_with_many_names_is_said_once() {
    let shell = Shell::of(&account());
    let twice: String = (0..200)
        .map(|i| {
            let name: String = i
                .to_string()
                .chars()
                .map(|c| char::from(c as u8 + 49))
                .collect();
            format!("{name}.example.com,42,a\n{name}.example.com,42,b\n")
        })
        .collect();
    shell.file("twice.csv", &format!("Server,Customer,Name\n{twice}"));
    let run = provision(&shell, "twice.csv", &["--server"]).exits(2);
    assert!(run.stderr.contains("\n  200 rows: "), "{run:?}");
    assert!(run.stderr.lines().count() <= 4, "{run:?}");
    let domains: String = (0..200)
        .map(|i| {
            let name: String = i
                .to_string()
                .chars()
                .map(|c| char::from(c as u8 + 49))
                .collect();
            format!("https://{name}.example.com,42\n")
        })
        .collect();
    shell.file("domains.csv", &format!("Domain,Customer\n{domains}"));
    let run = provision(&shell, "domains.csv", &[]).exits(2);
    assert!(run.stderr.contains("\n  200 rows: service_id"), "{run:?}");
}

#[test]
fn a_number_that_a_program_gave_decimals_is_whole() {
    let shell = Shell::of(&account());
    shell.file(
        "a.csv",
        "IP,Customer,Service\n203.0.113.1,42.0,501.0\n203.0.113.2,42.0,\n",
    );
    let run = provision(&shell, "a.csv", &["-n", "-o", "json"]).exits(0);
    assert!(
        run.stdout.contains("501") && !run.stdout.contains("42.0"),
        "{run:?}"
    );
    shell.file("b.csv", "IP,Customer\n203.0.113.1,42.5\n");
    provision(&shell, "b.csv", &[]).exits(2);
}

/// What is said of a file that is made here.
#[track_caller]
fn refused_rows(rows: &str, options: &[&str], sentences: &[&str]) {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell.file("rows.csv", rows);
    let run = provision(&shell, "rows.csv", options).exits(2);
    for sentence in sentences {
        assert!(run.stderr.contains(sentence), "{sentence}: {}", run.stderr);
    }
    assert!(tenant.journal().is_empty(), "something was sent");
}

#[test]
fn a_name_that_no_host_can_have_is_refused_before_anything_is_sent() {
    refused_rows(
        "Server,Customer\n*.example.com,42\n203.0.113.x,42\n-web.example.com,42\nweb..example.com,42\nweb.example.com:443,42\n",
        &["--server"],
        &[
            "4 rows: target: \"*.example.com\" is not a name that a host can have (in rows 2, 3, 4, 5)",
            "row 6: target: \"web.example.com:443\" has a port in it",
        ],
    );
    refused_rows(
        "IP,Customer\n203.000.113.005,42\nfe80::1%eth0,42\n203.0.113.5/255.255.255.0,42\n",
        &[],
        &[
            "row 2: target: \"203.000.113.005\" has leading zeros: give 203.0.113.5",
            "row 3: target: \"fe80::1%eth0\" has a zone: leave out %eth0",
            "row 4: target: \"203.0.113.5/255.255.255.0\" is a network: leave out /255.255.255.0",
        ],
    );
}

#[test]
fn another_delimiter_than_the_headings_is_named() {
    refused_rows(
        "IP,Customer,Name\n203.0.113.5;42;web\n",
        &[],
        &[
            "row 2: 1 cell under 3 columns: its cells are separated by ';', but those of the heading by ','",
        ],
    );
    refused_rows(
        "IP,Customer,Name\n203.0.113.5,42,“web, 1”\n",
        &[],
        &["curly quotation marks cannot quote a cell"],
    );
    refused_rows("IP|Customer\n203.0.113.5|42\n", &[], &["--delimiter '|'"]);
    refused_rows(
        "IP，Customer\n203.0.113.5，42\n",
        &[],
        &["write a comma, a semicolon or a tab between the columns instead of ，"],
    );
    refused_rows(
        "IP,Customer,\n203.0.113.5,42,left\n",
        &[],
        &["number 3, which has no heading", "--map 3=-"],
    );
}

#[test]
fn the_mark_of_the_end_of_an_old_file_is_no_row() {
    let shell = Shell::of(&account());
    shell.file("a.csv", "IP,Customer\r\n203.0.113.5,42\r\n\u{1a}");
    let run = provision(&shell, "a.csv", &[]).exits(0);
    assert!(run.stdout.contains("1 provisioned"), "{run:?}");
}

#[test]
fn one_domain_in_two_spellings_is_one() {
    refused_rows(
        "Domain,Customer,Service\nBücher.example,42,501\nhttps://xn--bcher-kva.example/,42,502\n",
        &["--domain"],
        &["of customer 42 is already in row 2"],
    );
}

#[test]
fn letters_of_no_known_language_are_not_shown_as_another_one() {
    let shell = Shell::of(&account());
    let japanese = b"IP,Customer,Name\n203.0.113.5,42,\x83T\x81[\x83o\x81[\n";
    std::fs::write(shell.path("a.csv"), japanese).expect("a file");
    let run = provision(&shell, "a.csv", &[]).exits(2);
    assert!(!run.stderr.contains("it says"), "{run:?}");
    provision(&shell, "a.csv", &["--encoding", "shift_jis"]).exits(0);
    let listed = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(listed[0]["nickname"], "サーバー");
}

#[test]
fn the_service_of_domains_may_be_said_once() {
    let shell = Shell::of(&account());
    shell.file(
        "a.csv",
        "Domain,Customer,Service\nexample.com,42,\nexample.org,42,502\n",
    );
    let options = ["--domain", "--service", "501", "-n", "-o", "json"];
    let run = provision(&shell, "a.csv", &options).exits(0);
    assert!(
        run.stdout.contains("501") && run.stdout.contains("502"),
        "{run:?}"
    );
    let run = provision(&shell, "a.csv", &["--service", "501"]).exits(2);
    assert!(
        run.stderr.contains("--service cannot be used with --file"),
        "{run:?}"
    );
    refused(
        "placeholders-for-targets.csv",
        &["--domain", "--service", "501"],
        &[
            "\"-\" is not an address",
            "\"Total\" looks like a totals row",
        ],
    );
}

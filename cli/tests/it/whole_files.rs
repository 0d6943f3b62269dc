//! A file is read whole, or refused whole: nothing in it is passed over without a word.

use crate::shell::{Shell, account, provision};

/// A file that is refused by the lines that are named; no server is there afterwards.
fn refused(content: &str, lines: &[&str]) {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let file = shell.file("servers.csv", content);
    let run = shell.run(&["provision", "-f", &file]).exits(2);
    for line in lines {
        assert!(run.stderr.contains(line), "{content:?}: {run:?}");
    }
    assert_eq!(tenant.calls("POST", "*").len(), 0, "{content:?}");
}

#[test]
fn a_quote_that_is_not_closed_swallows_no_rows() {
    let row = |n: u32| format!("203.0.113.{n},42,web-{n}\n");
    let before: String = (1..5).map(row).collect();
    let after: String = (6..18).map(row).collect();
    let heading = "target,customer,nickname\n";
    let open = format!("{heading}{before}203.0.113.5,42,\"web-5\n{after}");
    refused(&open, &["line 6: a quotation mark"]);
    // So few rows that they fit into a nickname.
    let short = format!("{heading}203.0.113.5,42,\"web-5\n{}", row(6));
    refused(&short, &["line 2: a quotation mark"]);
    let closed_later = format!("{open}203.0.113.18,42,\"web-18\"\n");
    refused(&closed_later, &["line 6: a quotation mark"]);
    refused(
        &closed_later.replace('\n', "\r\n"),
        &["line 6: a quotation mark"],
    );
    refused(
        &closed_later.replace('\n', "\r"),
        &["line 6: a quotation mark"],
    );
    let at_the_end = format!("{heading}{before}203.0.113.5,42,\"web-5");
    refused(&at_the_end, &["line 6: a quotation mark"]);
    let two_lines = format!("{heading}203.0.113.1,42,\"web\n1\"\n");
    refused(&two_lines, &["line 2: a quotation mark"]);
    let in_heading = "target,customer,\"nickname\n203.0.113.1,42,web-1\n203.0.113.2,42,\"web-2\"\n";
    refused(in_heading, &["line 1: a quotation mark"]);
}

#[test]
fn quotes_inside_of_a_cell_are_read_as_before() {
    let shell = Shell::of(&account());
    let rows =
        "target,customer,nickname\n203.0.113.1,42,\"a \"\"b\"\", c\"\n203.0.113.2,42,19\" rack\n";
    let file = shell.file("servers.csv", rows);
    shell.run(&["provision", "-f", &file]).exits(0);
    let servers = shell
        .line("endpoint list --sort ip_address -o json")
        .exits(0)
        .json();
    assert_eq!(servers[0]["nickname"], "a \"b\", c");
    assert_eq!(servers[1]["nickname"], "19\" rack");
}

#[test]
fn a_row_has_as_many_cells_as_the_heading() {
    let rows = "target,customer,nickname\n\n203.0.113.1,42\n203.0.113.2,42,web-2,old\n,,,\n,\n203.0.113.3,42,\n";
    refused(
        rows,
        &[
            "row 3: 2 cells under 3 columns",
            "row 4: 4 cells under 3 columns",
        ],
    );
}

#[test]
fn a_file_of_services_is_read_whole() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let heading = "service_id,client_id,product_slug,status\n";
    for (rows, line) in [
        (
            "501,42,port_monitoring,\"active\n502,42,port_monitoring,active\n",
            "line 2: a quotation mark",
        ),
        (
            "501,42,port_monitoring,active,old\n",
            "row 2: 5 cells under 4 columns",
        ),
        ("501,42,port_monitoring\n", "row 2: 3 cells under 4 columns"),
    ] {
        let file = shell.file("services.csv", &format!("{heading}{rows}"));
        let run = shell.run(&["sync", "-f", &file]).exits(2);
        assert!(run.stderr.contains(line), "{run:?}");
    }
    let services = "\"services\":[{\"service_id\":501,\"client_id\":42,\"product_slug\":\"port_monitoring\",\"status\":\"active\"}]";
    let file = shell.file(
        "services.json",
        &format!("{{{services},\"more_services\":[]}}"),
    );
    let run = shell.run(&["sync", "-f", &file]).exits(2);
    assert!(run.stderr.contains("more_services"), "{run:?}");
    assert_eq!(tenant.calls("POST", "*").len(), 0);
    let file = shell.file(
        "services.json",
        &format!("{{{services},\"module_version\":\"2.1\"}}"),
    );
    shell.run(&["sync", "-f", &file]).exits(0);
    let sent = &tenant.calls("POST", "*")[0];
    assert!(format!("{sent:?}").contains("2.1"), "{sent:?}");
}

#[test]
fn a_file_of_servers_to_change_is_read_whole() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for n in 1..4 {
        provision(&shell, &format!("203.0.113.{n}"), &format!("web-{n}"));
    }
    let before = tenant.calls("POST", "*").len();
    for (rows, said) in [
        (
            "ip,customer\n203.0.113.1,\"42\n203.0.113.2,42\n203.0.113.3,42\n",
            "line 2: a quotation mark",
        ),
        (
            "ip,customer\n203.0.113.1\n203.0.113.2,42\n",
            "row 2: 1 cell under 2 columns",
        ),
        (
            "ip,customer\n203.0.113.1,42,43\n",
            "row 2: 3 cells under 2 columns",
        ),
        (
            "\"ip,customer\n203.0.113.1,42\n",
            "line 1: a quotation mark",
        ),
        (
            "ip,customer,client_id\n203.0.113.1,,42\n",
            "2 columns for customer",
        ),
    ] {
        let file = shell.file("servers.csv", rows);
        let run = shell.run(&["endpoint", "suspend", "-f", &file]).exits(2);
        assert!(run.stderr.contains(said), "{rows:?}: {run:?}");
    }
    assert_eq!(tenant.calls("POST", "*").len(), before);
}

#[test]
fn the_line_ends_of_an_old_mac_end_lines() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    let names = "# who has not paid\rweb-1\r# and\rweb-2\r";
    let file = shell.file("names.txt", names);
    let run = shell.run(&["endpoint", "suspend", "-f", &file, "-o", "json"]);
    let run = run.exits(0).json();
    assert_eq!(run["summary"]["succeeded"], 2, "{run}");
    assert_eq!(run["items"][1]["row"], 4, "{run}");
    let scan = shell.feed("# now\rweb-1\n", &["scan", "-", "-o", "json"]);
    assert!(!scan.stderr.contains("names nothing"), "{scan:?}");
}

//! Spreadsheets as people and their programs write them.

use crate::shell::{Shell, account, provision};

/// What a dry run of a file says on standard error; it must be refused.
fn refused(name: &str, content: &[u8]) -> String {
    let shell = Shell::of(&account());
    let path = shell.path(name);
    std::fs::write(&path, content).expect("the file is written");
    let run = shell.run(&["provision", "-f", &path.display().to_string(), "-n"]);
    run.exits(2).stderr
}

#[test]
fn a_bad_row_is_named_by_the_row_that_a_spreadsheet_shows() {
    let text = "target,customer,nickname\n\n203.0.113.1,42,\"a, b\"\n\n\n203.0.113.999,42,\n";
    let marked = format!("\u{FEFF}{text}");
    let windows = text.replace('\n', "\r\n");
    for (file, row) in [
        (text, 6),
        (&marked, 6),
        (&windows, 6),
        (&text.replace('\n', "\r"), 6),
        ("target,customer\r\n203.0.113.1,42\r\n203.0.113.999,42", 3),
        ("\r\n\r\ntarget,customer\r\n203.0.113.999,42", 4),
        ("target,customer\n;\n  \n203.0.113.999,42\n", 4),
    ] {
        let said = refused("servers.csv", file.as_bytes());
        assert!(
            said.contains(&format!("row {row}: target")),
            "{file:?}: {said}"
        );
    }
}

#[test]
fn the_row_of_a_result_is_the_row_of_the_file() {
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", "ip,customer\r\n\r\n203.0.113.1,42\r\n");
    let run = shell.run(&["provision", "-f", &file, "-o", "json"]);
    assert_eq!(run.exits(0).json()["items"][0]["row"], 3);
}

#[test]
fn a_list_of_names_counts_its_lines_the_same_way() {
    let shell = Shell::of(&account());
    shell
        .line("provision 203.0.113.1 203.0.113.2 -c 42")
        .exits(0);
    let file = shell.file("names.txt", "\u{FEFF}203.0.113.1\r\n\r\n203.0.113.2\r\n");
    let run = shell.run(&["endpoint", "suspend", "-f", &file, "-o", "json"]);
    let items = &run.exits(0).json()["items"];
    assert_eq!((&items[0]["row"], &items[1]["row"]), (&1.into(), &3.into()));
}

#[test]
fn a_bad_row_of_a_sync_is_named_by_the_row_that_a_spreadsheet_shows() {
    let shell = Shell::of(&account());
    let file = shell.file(
        "services.csv",
        "service_id,client_id,product_slug,status\r\n\r\n501,99,port_monitoring,active\r\n502,42,port_monitoring,nonsense\r\nx,42,port_monitoring,active\r\n",
    );
    let said = shell.run(&["sync", "-f", &file]).exits(2).stderr;
    assert!(said.contains("row 4: status: It must be"), "{said}");
    assert!(said.contains("row 5: "), "{said}");
    assert!(!said.contains("record"), "{said}");
}

#[test]
fn columns_have_the_names_that_people_give_them() {
    for heading in [
        "Server IP;Customer No.;Server Name",
        "IP-Address;Kunde;Name",
        " ip address ;CUSTOMER;Label",
        "Server;Kunden-Nr.;Nickname",
        "IPv4;Client ID;Name",
        "IP-Adresse;Kundennummer;Bezeichnung",
        "IP Address;Client No.;Server",
        "Public IP;Account #;Machine",
        "Main IP;Acct. Number;Display name",
    ] {
        let shell = Shell::of(&account());
        let file = shell.file("servers.csv", &format!("{heading}\n203.0.113.1;42;web-1\n"));
        shell.run(&["provision", "-f", &file]).exits(0);
        let servers = shell.line("endpoint list -c 42 -o json").exits(0).json();
        assert_eq!(servers[0]["nickname"], "web-1", "{heading}");
    }
}

#[test]
fn how_other_headings_were_read_is_said_before_the_run() {
    let shell = Shell::of(&account());
    let rows = "IPv4;Account #;Hostname;Remarks\n203.0.113.1;42;web-1.example;new\n";
    let file = shell.file("servers.csv", rows);
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    let said = "columns: IPv4 is target, Account # is customer, Remarks is ignored\n";
    assert!(run.stderr.contains(said), "{run:?}");
    let plain = shell.file("plain.csv", "target,customer\n203.0.113.1,42\n");
    let run = shell.run(&["provision", "-f", &plain]).exits(0);
    assert!(!run.stderr.contains("columns:"), "{run:?}");
}

#[test]
fn a_second_column_for_one_field_can_be_mapped() {
    let said = refused(
        "servers.csv",
        b"Address,IP,Customer\nweb-1,203.0.113.1,42\n",
    );
    assert!(said.contains("2 columns for target: Address, IP"), "{said}");
    assert!(said.contains("--map IP=FIELD"), "{said}");
    assert!(said.contains("nickname"), "{said}");
}

#[test]
fn a_column_of_servers_has_names_only_beside_one_of_addresses() {
    for (rows, map) in [
        ("Server,IP,Customer\n203.0.113.1,old,42\n", "IP=-"),
        ("Server,Box,Customer\nweb-1,203.0.113.1,42\n", "Box=target"),
        (
            "Server,Host,Customer\n203.0.113.1,web-1,42\n",
            "Host=nickname",
        ),
    ] {
        let shell = Shell::of(&account());
        let file = shell.file("servers.csv", rows);
        shell
            .run(&["provision", "-f", &file, "--map", map])
            .exits(0);
        let servers = shell.line("endpoint list -o json").exits(0).json();
        assert_eq!(servers[0]["ip_address"], "203.0.113.1", "{rows}");
    }
    let said = refused(
        "servers.csv",
        b"IP,IP,Customer\n203.0.113.1,203.0.113.2,42\n",
    );
    assert!(said.contains("give one of them another heading"), "{said}");
}

#[test]
fn notes_are_passed_over_and_so_is_what_the_user_says() {
    let rows = "IP,Customer,Notes,Rack\n203.0.113.1,42,old,R7\n";
    let said = refused("servers.csv", rows.as_bytes());
    assert!(said.contains("unknown column \"Rack\""), "{said}");
    assert!(said.contains("--map Rack=-"), "{said}");
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", rows);
    let unknown = shell
        .run(&["provision", "-f", &file, "--map", "Rack=place"])
        .exits(2);
    assert!(unknown.stderr.contains("nickname"), "{unknown:?}");
    shell
        .run(&["provision", "-f", &file, "--map", "Rack=-"])
        .exits(0);
    let servers = shell.line("endpoint list -c 42 -o json").exits(0).json();
    assert_eq!(servers.as_array().map(Vec::len), Some(1), "{servers}");
}

#[test]
fn utf_16_is_read_and_a_workbook_is_named_as_one() {
    let text = "\u{FEFF}target\tcustomer\tnickname\r\n203.0.113.1\t42\tMünchen\r\n";
    let (little, big): (Vec<[u8; 2]>, Vec<[u8; 2]>) = text
        .encode_utf16()
        .map(|unit| (unit.to_le_bytes(), unit.to_be_bytes()))
        .unzip();
    for bytes in [little.concat(), big.concat()] {
        let shell = Shell::of(&account());
        let path = shell.path("unicode.txt");
        std::fs::write(&path, bytes).expect("the file is written");
        let run = shell.run(&["provision", "-f", &path.display().to_string()]);
        assert!(!run.exits(0).stderr.contains("warning"));
        let servers = shell.line("endpoint list -c 42 -o json").exits(0).json();
        assert_eq!(servers[0]["nickname"], "München");
    }
    let said = refused("servers.xlsx", b"PK\x03\x04\x14\x00\x06\x00\xff");
    assert!(
        said.contains("is an Excel workbook: save it as CSV"),
        "{said}"
    );
}

#[test]
fn a_file_without_a_heading_and_a_space_in_an_address_are_told_as_what_they_are() {
    for file in ["203.0.113.1,42\n203.0.113.2,42\n", "https://example.com\n"] {
        let said = refused("servers.csv", file.as_bytes());
        assert!(said.contains("has no heading row"), "{said}");
        assert!(said.contains("put \"target,customer\" on top"), "{said}");
    }
    let said = refused("servers.csv", b"target,customer\n203.0.113. 63,42\n");
    assert!(
        said.contains("row 2: target: \"203.0.113. 63\" has a space in it"),
        "{said}"
    );
}

#[test]
fn json_is_told_from_other_texts_that_begin_with_a_bracket() {
    for file in ["[]", "[ {\"target\": 1}]", "{\"a\": 1}\n{\"a\": 2}"] {
        let said = refused("servers.csv", file.as_bytes());
        assert!(said.contains("is JSON"), "{said}");
    }
    let said = refused("servers.csv", b"[web]\nweb1 ansible_host=203.0.113.80\n");
    assert!(said.contains("unknown column \"[web]\""), "{said}");
}

#[test]
fn a_list_of_names_is_read_in_utf_16_and_refused_in_letters_that_nobody_knows() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    let text = "\u{FEFF}# who has not paid\r\nweb-1\r\n\r\nweb-2\r\n";
    let file = shell.path("names.txt");
    let suspend = ["endpoint", "suspend", "-f", "names.txt", "-o", "json"];
    let resume = ["endpoint", "resume", "-f", "names.txt", "-o", "json"];
    for (line, bytes) in [
        (
            suspend,
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>(),
        ),
        (
            resume,
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ),
    ] {
        std::fs::write(&file, bytes).expect("the file is written");
        let run = shell.run(&line).exits(0).json();
        assert_eq!(run["summary"]["succeeded"], 2, "{run}");
        assert_eq!(run["items"][1]["row"], 4, "{run}");
    }
    std::fs::write(&file, b"M\xfcnchen\n").expect("the file is written");
    let refused = shell.run(&suspend).exits(2).error();
    let hint = refused["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("UTF-8"), "{refused}");
}

#[test]
fn what_is_wrong_with_many_rows_is_said_once() {
    let rows: String = (1..=200)
        .map(|i| format!("198.51.100.{i},42,9.90 EUR {i}\n"))
        .collect();
    let file = format!("target,customer,mrr\n203.0.113.999,42,\n{rows}");
    let said = refused("servers.csv", file.as_bytes());
    assert!(said.contains("201 rows of "), "{said}");
    assert!(said.contains("\n  200 rows: mrr"), "{said}");
    assert!(
        said.contains("(in rows 3, 4, 5 and 197 more") && said.contains("\n  row 2: target"),
        "{said}"
    );
    assert!(said.lines().count() <= 5, "{said}");
}

#[test]
fn a_decimal_comma_is_read_where_semicolons_part_the_columns() {
    let shell = Shell::of(&account());
    let file = shell.file(
        "servers.csv",
        "target;customer;service;mrr\n203.0.113.1;42;501;9,90\n",
    );
    let run = shell.run(&["provision", "-f", &file, "-n", "-o", "json"]);
    let run = run.exits(0).stdout;
    assert!(run.contains("9.9"), "{run}");
    let said = refused(
        "servers.csv",
        b"target,customer,mrr\n203.0.113.1,42,\"9,90\"\n",
    );
    assert!(said.contains("row 2: mrr"), "{said}");
}

#[test]
fn rows_that_are_wholly_equal_are_one() {
    let shell = Shell::of(&account());
    let row = "203.0.113.1,42,web-1\n";
    let file = shell.file(
        "servers.csv",
        &format!("target,customer,nickname\n{row}{row}{row}"),
    );
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    assert!(
        run.stderr
            .contains("2 rows skipped: identical to an earlier row"),
        "{run:?}"
    );
    assert!(run.stdout.contains("1 provisioned"), "{run:?}");
    let said = refused(
        "servers.csv",
        b"target,customer,nickname\n203.0.113.1,42,web-1\n203.0.113.1,42,web-2\n",
    );
    assert!(
        said.contains("row 3: \"203.0.113.1\" of customer 42 is already in row 2"),
        "{said}"
    );
}

#[test]
fn a_report_is_written_as_the_file_is() {
    let text = "\u{FEFF}target;customer;nickname\r\n203.0.113.1;42;M\u{fc}nchen\r\n";
    let windows = text
        .trim_start_matches('\u{FEFF}')
        .replace('\u{fc}', "\u{fffd}");
    let windows: Vec<u8> = windows.replace('\u{fffd}', "~").bytes().collect();
    let windows: Vec<u8> = windows
        .into_iter()
        .map(|byte| if byte == b'~' { 0xfc } else { byte })
        .collect();
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (input, more) in [
        (text.as_bytes().to_vec(), ""),
        (wide, ""),
        (windows, " --encoding windows-1252"),
    ] {
        let shell = Shell::of(&account());
        std::fs::write(shell.path("servers.csv"), &input).expect("the file is written");
        shell
            .line(&format!(
                "provision -f servers.csv --report report.csv{more}"
            ))
            .exits(0);
        let report = std::fs::read(shell.path("report.csv")).expect("the report");
        // The heading is the file's own, up to our columns.
        let heading = input
            .iter()
            .position(|byte| *byte == b'\r')
            .expect("a heading");
        assert_eq!(report[..heading], input[..heading]);
        let is_in = |part: &[u8]| report.windows(part.len()).any(|bytes| bytes == part);
        let second = &input[heading + 2..];
        let name = second
            .iter()
            .position(|byte| *byte == b'M')
            .expect("the name");
        let end = second
            .iter()
            .rposition(|byte| *byte == b'\r')
            .expect("an end");
        assert!(is_in(&second[name..end]), "{report:?}");
    }
}

#[test]
fn amounts_of_a_file_with_semicolons_may_have_points_between_thousands() {
    let shell = Shell::of(&account());
    let file = "target;customer;mrr\n203.0.113.1;42;1.009,90\n203.0.113.2;42;9,90\n";
    std::fs::write(shell.path("servers.csv"), file).expect("a file");
    let sent = shell
        .line("provision -f servers.csv -n -o json")
        .exits(0)
        .stdout;
    assert!(sent.contains("1009.9") && sent.contains("9.9"), "{sent}");
    let said = refused(
        "servers.csv",
        b"target;customer;mrr\n203.0.113.1;42;9,90 EUR\n203.0.113.2;42;1.0,9\n",
    );
    assert!(
        said.contains("\"9,90 EUR\"") && said.contains("(in rows 2, 3)"),
        "{said}"
    );
}

//! What names a server.

use crate::shell::{Shell, account, provision};

#[test]
fn a_server_answers_to_its_names() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "2001:DB8:0::10", "Web-1");
    for name in [
        id.as_str(),
        "2001:db8::10",
        "2001:0db8::0010",
        "web-1",
        "nick:WEB-1",
        "ip:2001:db8::10",
        &id[..8],
        &format!("id:{id}"),
    ] {
        let shown = shell
            .run(&["endpoint", "show", name, "-o", "json"])
            .exits(0)
            .json();
        assert_eq!(shown["data"]["id"], id.as_str(), "{name}");
    }
}

#[test]
fn nothing_is_guessed() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    let unknown = shell.line("endpoint show web-2 -o json").exits(4);
    assert_eq!(unknown.error()["hint"], "did you mean web-1?");
    shell.run(&["endpoint", "show", &id[..5]]).exits(4);
    shell.run(&["endpoint", "show", ""]).exits(2);
    shell.run(&["endpoint", "suspend", "nick:"]).exits(2);
    shell.line("endpoint show host:web-1").exits(4);
}

#[test]
fn one_address_is_never_offered_for_another_nor_what_was_named_beside_it() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.50", "web-1");
    for line in [
        "endpoint suspend 203.0.113.51",
        "endpoint suspend 203.0.113.510",
        "endpoint suspend web-1 web-2",
    ] {
        let run = shell.line(line).exits(4);
        assert!(!run.stderr.contains("did you mean"), "{line}: {run:?}");
    }
}

#[test]
fn the_customer_is_asked_for_only_where_it_tells_two_servers_apart() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    for (line, hint) in [
        (
            "provision 203.0.113.11 -c 42 --nickname web-1",
            "name it by its address or its id",
        ),
        (
            "provision 203.0.113.10 -c 43 --nickname web-1 -y",
            "name the customer with -c, or give the id",
        ),
    ] {
        shell.line(line).exits(0);
        let refused = shell.line("endpoint suspend web-1 -o json").exits(2);
        assert_eq!(refused.error()["hint"], hint, "{refused:?}");
    }
}

#[test]
fn a_name_of_two_servers_is_an_error_that_lists_both() {
    let shell = Shell::of(&account());
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    shell.line("provision 203.0.113.10 -c 43 -y").exits(0);
    let run = shell.line("endpoint suspend 203.0.113.10 -o json").exits(2);
    let message = run.error()["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        message.contains("of customer 42") && message.contains("of customer 43"),
        "{message}"
    );
    shell.line("endpoint suspend 203.0.113.10 -c 43").exits(0);
}

#[test]
fn a_customer_never_overrides_the_owner() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    shell.line("provision 203.0.113.7 -c 7").exits(0);
    let run = shell
        .line(&format!("endpoint suspend {id} -c 7 -o json"))
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("customer 42"),
        "{run:?}"
    );
}

#[test]
fn the_beginning_of_an_id_is_not_enough_to_terminate() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    let run = shell
        .run(&["endpoint", "terminate", &id[..8], "-y", "-o", "json"])
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains(&id),
        "{run:?}"
    );
}

#[test]
fn a_customer_that_contradicts_the_owner_is_what_is_wrong() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("provision 203.0.113.7 -c 7").exits(0);
    for name in ["203.0.113.10", "web-1"] {
        let run = shell
            .run(&["endpoint", "suspend", name, "-c", "7", "-o", "json"])
            .exits(2);
        assert!(
            run.error()["message"]
                .as_str()
                .unwrap_or_default()
                .contains("belongs to customer 42"),
            "{run:?}"
        );
    }
}

#[test]
fn every_name_that_fits_nothing_is_listed() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let run = shell
        .feed(
            "nope\nweb-1\nnope2\n",
            &["endpoint", "suspend", "-f", "-", "-o", "json"],
        )
        .exits(4);
    let message = run.error()["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        message.contains("\"nope\"") && message.contains("\"nope2\""),
        "{message}"
    );
}

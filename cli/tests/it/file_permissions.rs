//! Files that others can write to, and names that lead elsewhere.

use crate::shell::{Shell, account, provision};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn open_to(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
}

/// A shell whose profile has a command for its key, which leaves a mark.
fn with_key_command() -> Shell {
    let tenant = account();
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = format!(
        "default_profile = \"live\"\n[profiles.live]\nbase_url = \"{}\"\nrate_limits = \"off\"\nkey_command = \"echo ran > {}; echo {}\"\n",
        tenant.url(),
        shell.path("mark").display(),
        tenant.api_key()
    );
    shell.private_file(".config/secmon/config.toml", &config);
    shell
}

#[test]
fn a_configuration_that_others_can_write_runs_no_command() {
    let shell = with_key_command();
    let (file, mark) = (shell.path(".config/secmon/config.toml"), shell.path("mark"));
    for mode in [0o620, 0o602, 0o666] {
        open_to(&file, mode);
        for line in ["endpoint list -o json", "auth status -o json"] {
            let error = shell.line(line).exits(2).error();
            let message = error["message"].as_str().unwrap_or_default();
            assert!(message.contains("can be written by others"), "{error}");
            assert!(message.contains("config.toml"), "{error}");
        }
        assert!(!mark.exists(), "{mode:o}");
    }
    open_to(&file, 0o644);
    shell.line("endpoint list").exits(0);
    assert!(mark.exists());
}

#[test]
fn nor_does_one_in_a_folder_where_others_can_put_another() {
    let shell = with_key_command();
    let (folder, mark) = (shell.path(".config/secmon"), shell.path("mark"));
    open_to(&folder, 0o777);
    let run = shell.line("endpoint list").exits(2);
    assert!(run.stderr.contains("can be written by others"), "{run:?}");
    assert!(!mark.exists());
    // In a folder like /tmp nobody removes what is another's.
    open_to(&folder, 0o1777);
    shell.line("endpoint list").exits(0);
}

#[test]
fn a_key_file_that_others_can_write_is_not_read() {
    let tenant = account();
    let shell = Shell::new();
    let line = format!("auth login --base-url {} --key-stdin", tenant.url());
    let line: Vec<&str> = line.split(' ').collect();
    shell.feed(tenant.api_key(), &line).exits(0);
    for mode in [0o620, 0o602] {
        open_to(&shell.path(".config/secmon/keys/default"), mode);
        shell.line("endpoint list").exits(2);
    }
}

#[test]
fn what_is_written_follows_no_link() {
    let shell = Shell::of(&account());
    let kept = shell.file("kept", "mine\n");
    symlink(&kept, shell.path("link")).expect("a link");
    let rows = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    for line in [
        "endpoint list --debug-file link -o json".to_owned(),
        format!("provision -f {rows} --report link -o json"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let error = shell.run(&words).exits(2).error();
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("symbolic link"), "{error}");
    }
    assert_eq!(
        std::fs::read_to_string(&kept).expect("it is there"),
        "mine\n"
    );
    assert_eq!(shell.line("endpoint list -o ids").exits(0).stdout, "");
}

#[test]
fn what_is_written_is_not_what_is_read() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "target,customer\n203.0.113.1,42\n";
    let file = shell.file("servers.csv", rows);
    std::fs::hard_link(&file, shell.path("same.csv")).expect("another name");
    let services = "service_id,client_id,product_slug,status\n501,42,port_monitoring,active\n";
    shell.file("services.csv", services);
    shell.file("body.json", "{}");
    shell.file("config.toml", "# mine\n");
    for (line, file, whole) in [
        (
            "provision -f servers.csv --report same.csv",
            "servers.csv",
            rows,
        ),
        (
            "provision -f servers.csv --debug-file servers.csv",
            "servers.csv",
            rows,
        ),
        (
            "provision -f servers.csv --debug-file same.csv",
            "servers.csv",
            rows,
        ),
        (
            "endpoint suspend -f servers.csv --debug-file servers.csv",
            "servers.csv",
            rows,
        ),
        (
            "sync -f services.csv --debug-file services.csv",
            "services.csv",
            services,
        ),
        (
            "rules import web-1 servers.csv --debug-file servers.csv",
            "servers.csv",
            rows,
        ),
        (
            "api endpoints -X POST --input body.json --debug-file body.json",
            "body.json",
            "{}",
        ),
        (
            "endpoint list --config config.toml --debug-file config.toml",
            "config.toml",
            "# mine\n",
        ),
    ] {
        let run = shell.line(line).exits(2);
        assert!(
            run.stderr.contains("names the file being read"),
            "{line}: {run:?}"
        );
        let now = std::fs::read_to_string(shell.path(file)).expect("it is there");
        assert_eq!(now, whole, "{line}");
    }
    for line in [
        "provision -f - --report same.csv",
        "provision -f - --debug-file same.csv",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = shell.command(&words);
        command.stdin(std::fs::File::open(&file).expect("the file"));
        let run = crate::shell::finished(command).exits(2);
        assert!(
            run.stderr.contains("names the file being read"),
            "{line}: {run:?}"
        );
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), rows);
    }
    assert_eq!(tenant.calls("POST", "*").len(), 0);
}

/// A shell whose profile was kept by a login, and its account.
fn logged_in() -> (Shell, crate::shell::Account) {
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    shell.feed(tenant.api_key(), &login).exits(0);
    (shell, tenant)
}

#[test]
fn a_configuration_that_others_can_write_gives_the_key_to_nobody() {
    let (shell, _) = logged_in();
    let listener = account();
    let file = shell.path(".config/secmon/config.toml");
    let config = std::fs::read_to_string(&file).expect("the configuration");
    let address = config.lines().find(|line| line.starts_with("base_url"));
    let address = address.expect("an address").to_owned();
    let moved = config.replace(&address, &format!("base_url = \"{}\"", listener.url()));
    std::fs::write(&file, moved).expect("it is ours");
    for mode in [0o620, 0o602, 0o666] {
        open_to(&file, mode);
        for line in ["endpoint list", "auth status", "doctor"] {
            let run = shell.line(line);
            assert_ne!(run.code, 0, "{run:?}");
        }
        let login = ["auth", "login", "--key-stdin"];
        let run = shell.feed("a-new-key-for-it\n", &login).exits(2);
        assert!(run.stderr.contains("can be written by others"), "{run:?}");
    }
    assert!(listener.journal().is_empty(), "a key went out");
    open_to(&file, 0o644);
    shell.line("config list").exits(0);
}

#[test]
fn pages_are_written_into_no_link() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let kept = shell.file("kept", "mine\n");
    std::fs::create_dir(shell.path("pages")).expect("a folder");
    symlink(&kept, shell.path("page.html")).expect("a link");
    symlink(&kept, shell.path("pages/secmon.1")).expect("a link");
    for line in ["report -c 42 --html page.html", "man --dir pages"] {
        let run = shell.line(line).exits(2);
        assert!(run.stderr.contains("is a symbolic link"), "{run:?}");
    }
    assert_eq!(
        std::fs::read_to_string(&kept).expect("it is there"),
        "mine\n"
    );
    std::fs::remove_file(shell.path("pages/secmon.1")).expect("the link");
    shell.line("man --dir pages").exits(0);
    assert!(shell.path("pages/secmon-endpoint.1").is_file());
}

#[test]
fn a_page_does_not_take_the_place_of_its_picture() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let png = b"\x89PNG\r\n\x1a\n";
    std::fs::write(shell.path("logo.png"), png).expect("a file");
    let run = shell
        .line("report -c 42 --html logo.png --logo logo.png")
        .exits(2);
    assert!(run.stderr.contains("names the file being read"), "{run:?}");
    assert_eq!(std::fs::read(shell.path("logo.png")).expect("it"), png);
}

//! The configuration file by commands.

use crate::shell::{Shell, account};

const FILE: &str = "\
# our two portals
default_profile = \"acme\"

# the busy one
[profiles.acme]
base_url = \"https://portal.acme.example\"   # production
key_file = \"keys/acme\"
customer = 42

[profiles.globex]
base_url = \"https://portal.globex.example\"
allow_http = [\"secmon-mock\", \"proxy\"]
";

fn shell() -> Shell {
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon/keys")).expect("a folder");
    shell.file(".config/secmon/config.toml", FILE);
    shell.file(".config/secmon/keys/acme", "canary_key_in_its_file\n");
    shell
}

fn file(shell: &Shell) -> String {
    std::fs::read_to_string(shell.path(".config/secmon/config.toml")).expect("the file")
}

#[test]
fn settings_are_read_by_name() {
    let shell = shell();
    assert_eq!(shell.line("config get customer").exits(0).stdout, "42\n");
    assert_eq!(
        shell
            .line("config get allow_http --profile globex")
            .exits(0)
            .stdout,
        "secmon-mock,proxy\n"
    );
    assert_eq!(
        shell
            .line("config get profiles.globex.base_url")
            .exits(0)
            .stdout,
        "https://portal.globex.example\n"
    );
    assert_eq!(
        shell
            .line("config get default_profile -o json")
            .exits(0)
            .json()["value"],
        "acme"
    );
    shell.line("config get output").exits(4);
    shell.line("config get key").exits(2);
    let list = shell
        .line("config list -o csv --no-headers")
        .exits(0)
        .stdout;
    assert_eq!(list.lines().count(), 6, "{list}");
}

#[test]
fn a_change_keeps_every_comment() {
    let shell = shell();
    shell.line("config set customer 7").exits(0);
    shell
        .line("config set profiles.globex.read_only yes")
        .exits(0);
    shell
        .run(&["config", "set", "profiles.globex.allow_http", "a, b"])
        .exits(0);
    shell.line("config set default_profile globex").exits(0);
    shell.line("config unset customer --profile acme").exits(0);
    let changed = FILE
        .replace("default_profile = \"acme\"", "default_profile = \"globex\"")
        .replace("customer = 42\n", "")
        .replace("[\"secmon-mock\", \"proxy\"]", "[\"a\", \"b\"]");
    assert_eq!(file(&shell), format!("{changed}read_only = true\n"));
}

#[test]
fn a_value_that_would_be_refused_later_is_refused_now() {
    let shell = shell();
    for line in [
        "config set customer none",
        "config set customer 0",
        "config set namespace nonsense",
        "config set rate_limits 60",
        "config set output yaml",
        "config set read_only perhaps",
        "config set base_url ftp://portal.example",
        "config set default_profile nobody",
        "config set nonsense 1",
        "config set profiles.local.customer 1",
        "config set profiles.acme 1",
    ] {
        shell.line(line).exits(2);
    }
    let moved = shell
        .line("config set base_url https://elsewhere.example -o json")
        .exits(2);
    assert!(
        moved.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("auth login"),
        "{moved:?}"
    );
    shell.line("config set customer 9 -n").exits(0);
    assert_eq!(file(&shell), FILE);
}

#[test]
fn no_command_prints_a_key() {
    let shell = shell();
    for line in [
        "config list",
        "config get key_file",
        "config path",
        "profile list",
        "profile show acme -o json",
        "profile show acme",
    ] {
        let run = shell.line(line).exits(0);
        assert!(!run.stdout.contains("canary_key"), "{run:?}");
    }
}

#[test]
fn places_are_told_one_by_one_and_together() {
    let shell = shell();
    let path = shell.line("config path config").exits(0).stdout;
    assert_eq!(
        path.trim(),
        shell
            .path(".config/secmon/config.toml")
            .display()
            .to_string()
    );
    let all = shell.line("config path -o json").exits(0).json();
    for name in ["config", "keys", "history", "state", "cache", "local"] {
        assert!(
            all[name]
                .as_str()
                .is_some_and(|path| path.contains("secmon")),
            "{all}"
        );
    }
    shell.file(".config/secmon/config.toml", "nonsense");
    shell.line("config path config").exits(0);
    shell.line("config list").exits(2);
}

#[test]
fn an_editor_needs_a_terminal() {
    let run = shell().line("config edit -o json").exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("config set"),
        "{run:?}"
    );
}

#[test]
fn a_renamed_profile_keeps_its_key_its_place_and_its_comments() {
    let shell = shell();
    shell.line("profile rename acme globex").exits(2);
    shell.line("profile rename nobody other").exits(2);
    shell.line("profile rename acme local").exits(2);
    shell.line("profile rename acme main -n").exits(0);
    assert_eq!(file(&shell), FILE);
    shell.line("profile rename acme main").exits(0);
    let renamed = FILE
        .replace("default_profile = \"acme\"", "default_profile = \"main\"")
        .replace("[profiles.acme]", "[profiles.main]")
        .replace("keys/acme", "keys/main");
    assert_eq!(file(&shell), renamed);
    assert!(!shell.path(".config/secmon/keys/acme").exists());
    let kept = std::fs::read_to_string(shell.path(".config/secmon/keys/main")).expect("the key");
    assert_eq!(kept, "canary_key_in_its_file\n");
    assert_eq!(
        shell.line("profile show -o json").exits(0).json()["name"],
        "main"
    );
}

#[test]
fn a_renamed_profile_still_works() {
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    shell.feed(tenant.api_key(), &login).exits(0);
    shell.line("profile rename default main").exits(0);
    shell.line("auth status").exits(0);
}

#[test]
fn a_link_to_the_configuration_stays_one() {
    let shell = shell();
    let (path, real) = (
        shell.path(".config/secmon/config.toml"),
        shell.path("dotfiles/config.toml"),
    );
    std::fs::create_dir(shell.path("dotfiles")).expect("a folder");
    std::fs::rename(&path, &real).expect("it is there");
    std::os::unix::fs::symlink("../../dotfiles/config.toml", &path).expect("a link");
    shell
        .line("config set customer 4711 --profile acme")
        .exits(0);
    assert!(path.is_symlink());
    let kept = std::fs::read_to_string(&real).expect("the configuration");
    assert!(kept.contains("customer = 4711"), "{kept}");
    assert_eq!(
        shell
            .line("config get customer --profile acme")
            .exits(0)
            .stdout,
        "4711\n"
    );
}

#[test]
fn a_configuration_that_is_a_mount_of_its_own_is_written_where_it_is() {
    let mut probe = std::process::Command::new("unshare");
    probe.args(["--map-root-user", "--mount", "true"]);
    if !probe.status().is_ok_and(|ended| ended.success()) {
        eprintln!("not tried: nobody may mount here");
        return;
    }
    let shell = shell();
    let path = shell.path(".config/secmon/config.toml");
    let outside = shell.path("outside.toml");
    std::fs::copy(&path, &outside).expect("it is there");
    let program = shell.command(&["config", "set", "customer", "4711", "--profile", "acme"]);
    let line = format!(
        "mount --bind '{}' '{}' && exec \"$@\"",
        outside.display(),
        path.display()
    );
    let mut command = std::process::Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-c", &line, "sh"])
        .arg(program.get_program())
        .args(program.get_args())
        .env("HOME", shell.path(""));
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let kept = std::fs::read_to_string(&outside).expect("the configuration");
    assert!(kept.contains("customer = 4711"), "{kept}");
}

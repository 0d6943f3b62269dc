//! Which address, which key: flags, environment, profiles.

use crate::shell::{Shell, account};
use std::os::unix::fs::PermissionsExt;

fn with_profile(name: &str, tenant: &secmon_mock::Tenant) -> Shell {
    let shell = Shell::new();
    let arguments = [
        "auth",
        "login",
        "--profile",
        name,
        "--base-url",
        tenant.url(),
        "--key-stdin",
    ];
    shell
        .feed(&format!("{}\n", tenant.api_key()), &arguments)
        .exits(0);
    shell
}

#[test]
fn a_key_is_kept_in_a_file_of_its_own_that_nobody_else_can_read() {
    let tenant = account();
    let shell = with_profile("acme", &tenant);
    let key_file = shell.path(".config/secmon/keys/acme");
    let mode = std::fs::metadata(&key_file)
        .expect("the key file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let config = std::fs::read_to_string(shell.path(".config/secmon/config.toml"))
        .expect("the configuration");
    assert!(!config.contains(tenant.api_key()), "{config}");

    let status = shell.line("auth status -o json").exits(0).json();
    assert_eq!(status["accepted"], true);
    shell.line("endpoint list").exits(0);

    std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o644))
        .expect("the mode changes");
    let refused = shell.line("endpoint list -o json").exits(2);
    assert!(
        refused.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("can be read by others"),
        "{refused:?}"
    );
}

#[test]
fn a_key_that_the_service_refuses_is_not_kept() {
    let tenant = account();
    let shell = Shell::new();
    let arguments = [
        "auth",
        "login",
        "--profile",
        "acme",
        "--base-url",
        tenant.url(),
        "--key-stdin",
    ];
    shell.feed("a-key-of-nobody", &arguments).exits(3);
    assert!(!shell.path(".config/secmon").exists());
}

#[test]
fn logging_out_forgets_the_key_and_nothing_else() {
    let shell = with_profile("acme", &account());
    shell.line("auth logout").exits(0);
    assert!(!shell.path(".config/secmon/keys/acme").exists());
    shell.line("endpoint list").exits(2);
    assert_eq!(shell.line("profile list -o ids").exits(0).stdout, "acme\n");
}

#[test]
fn a_key_command_is_run_each_time() {
    let tenant = account();
    let shell = Shell::new().with("PATH", "/usr/bin:/bin");
    let key = shell.file("key.txt", tenant.api_key());
    let command = format!("cat {key}");
    shell
        .run(&[
            "auth",
            "login",
            "--base-url",
            tenant.url(),
            "--key-command",
            &command,
        ])
        .exits(0);
    shell.line("endpoint list").exits(0);
    std::fs::remove_file(key).expect("the file is there");
    shell.line("endpoint list").exits(2);
}

#[test]
fn a_key_command_sees_no_other_key() {
    let tenant = account();
    let shell = Shell::new();
    let seen = shell.path("seen");
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = format!(
        "[profiles.live]\nbase_url = \"{}\"\nrate_limits = \"off\"\nkey_command = \"echo ${{SECMON_API_KEY:-none}} > {}; echo {}\"\n",
        tenant.url(),
        seen.display(),
        tenant.api_key()
    );
    shell.file(".config/secmon/config.toml", &config);
    let shell = shell.with("SECMON_API_KEY", "another-key");
    shell.line("endpoint list --profile live").exits(0);
    let seen = std::fs::read_to_string(&seen).expect("the command ran");
    assert_eq!(seen, "none\n");
}

#[test]
fn a_named_profile_beats_the_environments_pair_and_says_so() {
    let tenant = account();
    let shell = with_profile("acme", &tenant)
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .with("SECMON_API_KEY", "another_key_altogether");
    let run = shell.line("--profile acme endpoint list").exits(0);
    assert_eq!(run.stderr.matches("warning: ").count(), 1, "{run:?}");
    shell.line("endpoint list --timeout 1s").exits(7);
}

#[test]
fn a_profiles_key_goes_to_its_own_origin_or_to_this_machine_only() {
    let tenant = account();
    let shell = with_profile("acme", &tenant);
    let other = shell
        .line("--profile acme --base-url https://portal.example.com endpoint list -o json")
        .exits(2);
    assert!(
        other.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("must not go there"),
        "{other:?}"
    );
    shell
        .run(&[
            "--profile",
            "acme",
            "--base-url",
            tenant.url(),
            "endpoint",
            "list",
        ])
        .exits(0);
}

#[test]
fn a_key_without_an_address_is_sent_nowhere() {
    let shell = with_profile("acme", &account()).with("SECMON_API_KEY", "another_key_altogether");
    let run = shell.line("endpoint list -o json").exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("no address"),
        "{run:?}"
    );
}

#[test]
fn without_any_service_the_way_out_is_named() {
    let run = Shell::new().line("endpoint list").exits(2);
    assert!(
        run.stderr.contains("secmon auth login") || run.stderr.contains(" auth login"),
        "{run:?}"
    );
    assert!(run.stderr.contains("--local"), "{run:?}");
}

#[test]
fn a_key_file_of_the_environment_is_read() {
    let tenant = account();
    let shell = Shell::new();
    let file = shell.file("key", &format!("{}\n", tenant.api_key()));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))
        .expect("the mode changes");
    let shell = shell
        .with("SECMON_BASE_URL", tenant.url())
        .with("SECMON_API_KEY_FILE", &file);
    let run = shell.line("endpoint list").exits(0);
    assert!(!run.stderr.contains("warning"), "{run:?}");
    // As containers mount secrets.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444))
        .expect("the mode changes");
    let run = shell.line("endpoint list").exits(0);
    assert!(
        run.stderr.contains("can be read by others (mode 444)"),
        "{run:?}"
    );
    let run = shell.line("endpoint list -o json").exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn the_environment_fills_in_what_the_flags_leave_out() {
    let tenant = account();
    let shell = Shell::of(&tenant)
        .with("SECMON_CUSTOMER", "42")
        .with("SECMON_OUTPUT", "json")
        .with("SECMON_NAMESPACE", "provisioning")
        .with("SECMON_PROFILE", "");
    assert_eq!(
        shell.line("provision 203.0.113.1").exits(0).json()["created"],
        true
    );
    assert!(
        tenant
            .journal()
            .iter()
            .any(|call| call.path == "/api/v1/provisioning/provision")
    );
    let flags = shell.line("endpoint list -c 7 -o ids").exits(0);
    assert_eq!(flags.stdout, "");
}

#[test]
fn a_broken_configuration_is_one_sentence() {
    let shell = Shell::of(&account());
    let file = shell.file("broken.toml", "default_profile = 7\n");
    let run = shell
        .run(&["--config", &file, "endpoint", "list", "-o", "json"])
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("broken.toml"),
        "{run:?}"
    );
    let unknown = shell
        .line("--profile nobody endpoint list -o json")
        .exits(2);
    assert!(
        unknown.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("nobody"),
        "{unknown:?}"
    );
}

#[test]
fn profiles_are_made_chosen_shown_and_deleted() {
    let shell = Shell::new();
    shell
        .line("profile create a --base-url https://a.example.com -c 7")
        .exits(0);
    shell
        .line("profile create b --base-url https://b.example.com")
        .exits(0);
    shell
        .line("profile create a --base-url https://a.example.com")
        .exits(2);
    shell
        .line("profile create local --base-url https://a.example.com")
        .exits(2);
    shell.line("profile use b").exits(0);
    let shown = shell.line("profile show -o json").exits(0).json();
    assert_eq!(
        (&shown["name"], &shown["default"]),
        (&"b".into(), &true.into())
    );
    assert_eq!(
        shell.line("profile show a -o json").exits(0).json()["customer"],
        7
    );
    shell.line("profile delete b").exits(2);
    shell.line("profile delete b -y").exits(0);
    assert_eq!(shell.line("profile list -o ids").exits(0).stdout, "a\n");
}

#[test]
fn writing_the_configuration_keeps_a_persons_comments() {
    let tenant = account();
    let shell = with_profile("acme", &tenant);
    let path = shell.path(".config/secmon/config.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    std::fs::write(&path, format!("# mine\n{text}")).expect("the configuration is written");
    shell.line("profile use acme").exits(0);
    assert!(
        std::fs::read_to_string(&path)
            .expect("the configuration")
            .starts_with("# mine\n")
    );
}

#[test]
fn the_health_check_takes_no_key() {
    let tenant = account();
    let shell = Shell::new().with("SECMON_BASE_URL", tenant.url());
    assert_eq!(shell.line("health -o json").exits(0).json()["status"], "ok");
    shell.line("endpoint list").exits(2);
}

#[test]
fn an_ignored_key_may_be_anything() {
    let shell = Shell::new().with("SECMON_API_KEY", "bad key");
    shell.line("--local endpoint list").exits(0);
    shell
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .line("endpoint list")
        .exits(2);
}

#[test]
fn a_key_command_runs_once_and_what_it_leaves_behind_is_not_waited_for() {
    let tenant = account();
    let shell = Shell::new();
    let script = format!(
        "echo run >> runs; sleep 90 & printf '%s' {}",
        tenant.api_key()
    );
    shell.file("key.sh", &script);
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    shell.file(
        ".config/secmon/config.toml",
        &format!(
            "default_profile = \"acme\"\n[profiles.acme]\nbase_url = \"{}\"\nkey_command = \"sh key.sh\"\n",
            tenant.url()
        ),
    );
    for line in [
        ["auth", "status"].as_slice(),
        &["doctor"],
        &["endpoint", "list"],
    ] {
        let _ = std::fs::remove_file(shell.path("runs"));
        crate::tree::run_to_the_end(&shell, line).exits(0);
        let runs = std::fs::read_to_string(shell.path("runs")).expect("it ran");
        assert_eq!(runs, "run\n", "{line:?}");
    }
}

#[test]
fn an_address_without_a_scheme_is_completed_and_judged_before_the_key_is_read() {
    let tenant = account();
    let shell = Shell::new();
    let bare = tenant.url().trim_start_matches("http://").to_owned();
    let login = ["auth", "login", "--key-stdin", "--base-url"];
    let run = shell.feed(tenant.api_key(), &[&login[..], &[&bare]].concat());
    let run = run.exits(0);
    let said = format!("Using {}", tenant.url());
    assert!(run.stderr.contains(&said), "{run:?}");
    shell.line("endpoint list").exits(0);

    let other = shell.run(&["auth", "login", "--base-url", "portal.example.com", "-n"]);
    let other = other.exits(0);
    assert!(
        other.stdout.contains("https://portal.example.com"),
        "{other:?}"
    );
    for wrong in [
        "http://portal.example.com",
        "https://",
        "portal.example.com/x y",
    ] {
        let run = shell.run(&["auth", "login", "--base-url", wrong]).exits(2);
        assert!(!run.stderr.contains("nobody to ask for the key"), "{run:?}");
    }
}

#[test]
fn an_address_without_a_scheme_is_told_how_it_is_written_whole() {
    let shell = Shell::of(&account());
    for (address, whole) in [
        ("127.0.0.1:4800", "http://127.0.0.1:4800"),
        ("localhost:4800", "http://localhost:4800"),
        ("[::1]:4800", "http://[::1]:4800"),
        ("portal.example.com", "https://portal.example.com"),
    ] {
        let run = shell.run(&["--base-url", address, "status"]).exits(2);
        assert!(
            run.stderr.contains(&format!("write it as {whole}")),
            "{run:?}"
        );
    }
}

#[test]
fn a_profile_for_a_colleague_is_made_read_only_with_its_key() {
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    let read_only = [login.as_slice(), &["--read-only"]].concat();
    let key = format!("{}\n", tenant.api_key());
    let kept = shell.feed(&key, &read_only).exits(0).stdout;
    assert!(kept.contains("read-only"), "{kept}");
    shell.line("endpoint list").exits(0);
    let refused = shell.line("provision 203.0.113.10 -c 42").exits(3);
    assert!(refused.stderr.contains("is read-only"), "{refused:?}");
    assert!(tenant.calls("POST", "*").is_empty());
    // A new key does not open it.
    shell.feed(&key, &login).exits(0);
    shell.line("provision 203.0.113.10 -c 42").exits(3);
    shell
        .line("config set profiles.default.read_only false")
        .exits(0);
    shell.line("provision 203.0.113.10 -c 42").exits(0);
}

#[test]
fn a_profile_like_another_has_its_key_and_takes_nothing_along_when_it_goes() {
    let tenant = account();
    let shell = Shell::new().with("SECMON_RATE_LIMITS", "off");
    let login = [
        "auth",
        "login",
        "--profile",
        "work",
        "--base-url",
        tenant.url(),
        "--key-stdin",
    ];
    shell.feed(tenant.api_key(), &login).exits(0);
    shell
        .line("profile create colleague --same-as work --read-only")
        .exits(0);
    shell.line("--profile colleague endpoint list").exits(0);
    shell
        .line("--profile colleague provision 203.0.113.1 -c 42")
        .exits(3);
    // As somebody might who has no --same-as.
    shell
        .line(&format!("profile create third --base-url {}", tenant.url()))
        .exits(0);
    shell
        .line("config set profiles.third.key_file keys/work")
        .exits(0);
    for gone in ["colleague", "third"] {
        shell.line(&format!("profile delete {gone} -y")).exits(0);
    }
    shell.line("--profile work endpoint list").exits(0);
    shell.line("profile create x --same-as nobody").exits(2);
}

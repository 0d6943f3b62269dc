//! Walks over every command there is.

use crate::shell::Run;
use crate::tree::{Kind, Scene, commands, run_to_the_end};
use http::StatusCode;
use secmon_mock::Fault;

const EXIT_CODES: [i32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// A refusal names an option, or an argument as the usage line writes it.
fn names_what_is_missing(run: &Run) -> bool {
    let argument = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.len() > 1
            && word
                .chars()
                .all(|c| c.is_ascii_uppercase() || "|_".contains(c))
    };
    run.stderr
        .split(|c: char| c.is_whitespace() || "(,;:'`\"=".contains(c))
        .any(|word| word.starts_with('-') && word.len() > 1 || argument(word))
}

#[test]
fn no_command_hangs_or_asks_with_standard_input_closed() {
    let scene = Scene::new();
    let (nodes, _) = commands();
    let bare = nodes
        .iter()
        .map(|words| words.iter().map(String::as_str).collect());
    let leaves = scene.leaves();
    let lines = leaves
        .iter()
        // Bare, the one serves until it is stopped, and the other takes away what the next lines need.
        .filter(|leaf| leaf.words != ["mock", "serve"] && leaf.words != ["mock", "reset"])
        .map(|leaf| leaf.words.iter().map(String::as_str).collect());
    let all: Vec<Vec<&str>> = bare.chain(lines).collect();
    for line in &all {
        let run = run_to_the_end(&scene.shell, line);
        assert!(EXIT_CODES.contains(&run.code), "{line:?}: {run:?}");
        if run.code == 2 {
            assert!(names_what_is_missing(&run), "{line:?}: {run:?}");
        }
    }
    for leaf in &leaves {
        let run = run_to_the_end(&scene.shell, &leaf.line());
        let code = match leaf.words.join(" ").as_str() {
            "alert triage" | "auth login" | "auth logout" | "config edit" | "mock serve" => 2,
            // The clock of the scene is not this computer's.
            "doctor" => 1,
            _ => 0,
        };
        assert_eq!(run.code, code, "{leaf:?}: {run:?}");
        assert!(
            code != 2 || names_what_is_missing(&run),
            "{leaf:?}: {run:?}"
        );
    }
}

#[test]
fn a_dry_run_of_any_command_sends_no_change() {
    let scene = Scene::new();
    let writes = || {
        scene
            .tenant
            .journal()
            .iter()
            .filter(|call| call.method != "GET")
            .count()
    };
    let before = writes();
    let config = std::fs::read_to_string(scene.shell.path(".config/secmon/config.toml"));
    for leaf in scene.leaves() {
        let mut line = leaf.line();
        line.extend(["-n", "-o", "json"]);
        let run = run_to_the_end(&scene.shell, &line);
        assert_eq!(writes(), before, "{leaf:?}: {run:?}");
        if leaf.kind == Kind::Changes {
            assert_eq!(run.code, 0, "{leaf:?}: {run:?}");
            let planned = run.json();
            let calls = planned["dry_run"].as_array().map_or(0, Vec::len);
            assert!(calls > 0, "{leaf:?}: {run:?}");
        }
    }
    let after = std::fs::read_to_string(scene.shell.path(".config/secmon/config.toml"));
    assert_eq!(config.ok(), after.ok());
}

#[test]
fn a_read_only_profile_sends_no_change() {
    let mut scene = Scene::new();
    let config = format!(
        "[profiles.look]\nbase_url = \"{}\"\nkey_file = \"key\"\nread_only = true\nrate_limits = \"off\"\n",
        scene.tenant.url()
    );
    let kept = std::fs::read_to_string(scene.shell.path(".config/secmon/config.toml"));
    let config = format!("{}{config}", kept.expect("the file"));
    scene.shell.file(".config/secmon/config.toml", &config);
    scene
        .shell
        .private_file(".config/secmon/key", scene.tenant.api_key());
    scene.shell = scene.shell.with("SECMON_PROFILE", "look");
    let writes = || {
        scene
            .tenant
            .journal()
            .iter()
            .filter(|call| call.method != "GET")
            .count()
    };
    let before = writes();
    for leaf in scene.leaves() {
        let run = run_to_the_end(&scene.shell, &leaf.line());
        assert_eq!(writes(), before, "{leaf:?}: {run:?}");
        if leaf.kind == Kind::Changes {
            assert_eq!(run.code, 3, "{leaf:?}: {run:?}");
            assert!(run.stderr.contains("read-only"), "{leaf:?}: {run:?}");
        }
    }
}

#[test]
fn no_command_lets_the_key_a_token_or_a_leak_out() {
    let scene = Scene::new();
    let key = scene.tenant.api_key().to_owned();
    let leaks = scene
        .shell
        .line("domain leaks example.com -c 42 -o json")
        .exits(0);
    let addresses: Vec<String> = leaks
        .json()
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|leak| leak["email"].as_str().map(str::to_owned))
        .collect();
    assert!(!addresses.is_empty());
    let mut tokens = Vec::new();
    for leaf in scene.leaves() {
        let mut line = leaf.line();
        line.extend(["-vv", "--debug-file", "debug.log"]);
        let run = run_to_the_end(&scene.shell, &line);
        let exported = leaf.words.join(" ") == "mock state export";
        if !exported {
            assert!(!run.stdout.contains(&key), "{leaf:?}");
        }
        assert!(!run.stderr.contains(&key), "{leaf:?}: {}", run.stderr);
        let token = run.stdout.split("token=").nth(1);
        tokens.extend(token.map(|rest| rest.trim().to_owned()));
        for address in &addresses {
            assert!(!run.stderr.contains(address), "{leaf:?}: {}", run.stderr);
        }
        let kept = scene.shell.everything_kept_but(&["state.json"]);
        assert!(!kept.contains(&key), "{leaf:?} keeps the key");
        for secret in addresses.iter().chain(&tokens) {
            assert!(!kept.contains(secret), "{leaf:?} keeps {secret}");
        }
    }
    assert_eq!(tokens.len(), 1, "the sign-in link was printed");
}

/// What every changing call is answered with, and the exit codes that it may come to.
const LIES: [(&str, &[i32]); 5] = [
    (
        r#"{"success":false,"error":{"code":"SOMETHING_WRONG","message":"no","details":{}},"meta":{}}"#,
        &[5, 8],
    ),
    (r#"{"success":false,"data":{},"meta":{}}"#, &[5, 7, 8]),
    (r#"{"status":"error","message":"no"}"#, &[5, 7, 8]),
    (r#"{"data":null}"#, &[5, 7, 8]),
    ("<html><body>Sign in</body></html>", &[7, 8]),
];

#[test]
fn an_error_under_a_success_never_ends_with_0() {
    for (body, codes) in LIES {
        let mut scene = Scene::new();
        scene.tenant.provoke();
        let mut leaves = scene.leaves();
        leaves.retain(|leaf| leaf.kind == Kind::Changes);
        // While there still is something to take back.
        scene.shell.line("endpoint rename web-1 WEB-1").exits(0);
        leaves.sort_by_key(|leaf| leaf.words != ["undo"]);
        for method in ["POST", "PUT", "DELETE"] {
            let lie = Fault::body(StatusCode::OK, body).on(method, "/api/*");
            scene.tenant.fault(lie.times(0));
        }
        for leaf in leaves {
            // A raw call prints what it was answered, whatever that is.
            let is_raw =
                leaf.words == ["api"] && !body.contains("error") && !body.contains("false");
            if is_raw {
                continue;
            }
            let mut line = leaf.line();
            line.extend(["--timeout", "2s"]);
            let run = run_to_the_end(&scene.shell, &line);
            // Nothing of an answer that may hold a token is told, its code included.
            let is_withheld = run.code == 7 && run.stderr.contains("withheld");
            let is_right = codes.contains(&run.code) || is_withheld;
            assert!(is_right, "{body}: {leaf:?}: {run:?}");
        }
    }
}

//! `secmon-contract` as somebody runs it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use secmon_mock::{Config, MockServer, RateLimit};
use serde_json::Value;

use crate::deviation::{Deviation, Doing};
use crate::proxy::Proxy;
use crate::remote::{KEY, Remote};

checks! {
    a_first_look_sends_55_calls_at_most(Embedded),
    a_run_that_only_reads_sends_nothing_else(Embedded),
    a_run_that_is_stopped_leaves_nothing_alive_and_a_killed_one_can_be_cleaned_up(Embedded) with "kill",
    a_violation_is_told_with_its_law_and_without_secrets(Embedded),
    what_no_document_excludes_is_a_difference(Embedded),
    what_nobody_told_of_a_service_is_said_at_the_start_and_blames_nobody(Embedded),
    what_many_cases_show_is_told_once_and_a_steered_run_leaves_nothing(Embedded),
    what_a_run_recorded_is_held_against_the_mock(Embedded),
    what_cannot_begin_says_why(Embedded),
    a_wait_that_is_rounded_down_is_noticed_on_a_clock_that_runs(Embedded),
}

/// The program, a folder of its own, and a service in use.
pub struct Stand {
    /// The service.
    pub remote: Remote,
    folder: PathBuf,
}

impl Stand {
    /// With a name for the folder.
    pub fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("secmon-contract-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self {
            remote: Remote::start(),
            folder,
        }
    }

    fn command(&self, url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_secmon-contract"));
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("XDG_STATE_HOME", &self.folder)
            .env("XDG_CONFIG_HOME", &self.folder)
            .env("SECMON_BASE_URL", url)
            .env("SECMON_API_KEY", KEY)
            .env("SECMON_CONTRACT_RATE_LIMITS", "off")
            .env_remove("SECMON_MOCK_ADMIN_URL");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, url: &str, arguments: &[&str]) -> Output {
        self.command(url, arguments)
            .output()
            .expect("the program runs")
    }

    fn start(&self, url: &str, arguments: &[&str]) -> Child {
        let mut command = self.command(url, arguments);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().expect("the program runs")
    }

    /// What came in, as the service kept it.
    fn calls(&self) -> Vec<Value> {
        let kept = self
            .remote
            .call("GET", "/_mock/requests?limit=1000", &Value::Null);
        kept["requests"].as_array().cloned().unwrap_or_default()
    }

    fn forget_calls(&self) {
        self.remote.call("DELETE", "/_mock/requests", &Value::Null);
    }

    /// A file that anybody can read and write.
    fn leave_open(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("a mode");
    }

    /// A file that the program wrote.
    pub fn written(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect("a file that the program wrote")
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        // What cannot be removed from the folder for passing things harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// All that it printed.
pub fn said(output: &Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    format!("{out}{err}")
}

fn a_first_look_sends_55_calls_at_most() {
    let stand = Stand::new("smoke");
    let before = stand.remote.alive();
    stand.forget_calls();
    let ran = stand.run(
        stand.remote.url(),
        &["--level", "smoke", "--junit", "report.xml"],
    );
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let calls = stand.calls().len();
    assert!((30..=55).contains(&calls), "{calls} calls");
    assert_eq!(stand.remote.alive(), before);
    assert!(
        said(&ran).contains("cancelled subscriptions (1)"),
        "{}",
        said(&ran)
    );
    assert!(stand.written("report.xml").contains("failures=\"0\""));
}

fn a_run_that_only_reads_sends_nothing_else() {
    let stand = Stand::new("reading");
    stand.forget_calls();
    let url = stand.remote.url();
    let config = format!("[profiles.own]\nbase_url = \"{url}\"\nkey_command = \"cat key\"\n");
    fs::write(stand.folder.join("config.toml"), config).expect("a file");
    fs::write(stand.folder.join("key"), KEY).expect("a file");
    // A profile that is named supplies both: nobody looks at the address and key of the environment.
    let mut command = stand.command("http://127.0.0.1:1", &["--read-only", "--profile", "own"]);
    let command = command
        .env("SECMON_CONFIG", "config.toml")
        .env("SECMON_API_KEY", "other");
    let ran = command.output().expect("the program runs");
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let calls = stand.calls();
    assert!(calls.len() > 15, "{} calls", calls.len());
    for call in calls {
        assert_eq!(call["method"], "GET", "{call}");
    }
}

/// What happens to a run, and after how many of its calls.
struct Strike {
    program: u32,
    signal: &'static str,
    calls_before: usize,
}

static STRIKE: Mutex<Option<Strike>> = Mutex::new(None);

/// Counts calls, and sends the signal when it is due; the call itself goes on.
fn strike() {
    let mut strike = STRIKE.lock().unwrap_or_else(PoisonError::into_inner);
    match strike.as_mut() {
        Some(Strike { calls_before, .. }) if *calls_before > 0 => *calls_before -= 1,
        Some(Strike {
            program, signal, ..
        }) => {
            let told = Command::new("kill")
                .args([*signal, &program.to_string()])
                .status();
            assert!(told.expect("kill runs").success());
            *strike = None;
        }
        None => {}
    }
}

/// Runs the scenes until a signal comes after so many calls; how the program ended.
fn struck(stand: &Stand, url: &str, signal: &'static str, calls_before: usize) -> Option<i32> {
    // The program waits for its first call's answer while the strike is prepared.
    let mut waiting = STRIKE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut run = stand.start(url, &["--only", "scenes"]);
    *waiting = Some(Strike {
        program: run.id(),
        signal,
        calls_before,
    });
    drop(waiting);
    run.wait().expect("the program ends").code()
}

/// Calls before a strike: while the run begins, and in the midst of it.
const MOMENTS: [usize; 10] = [1, 2, 3, 5, 8, 13, 34, 55, 89, 144];

fn a_run_that_is_stopped_leaves_nothing_alive_and_a_killed_one_can_be_cleaned_up() {
    let stand = Stand::new("stopped");
    let before = stand.remote.alive();
    let proxy = Proxy::start(stand.remote.url(), Deviation::Watch(|_| strike()));
    for moment in MOMENTS {
        for signal in ["-INT", "-TERM"] {
            let ended = struck(&stand, proxy.url(), signal, moment);
            assert_eq!(ended, Some(130), "{signal} after {moment} calls");
            assert_eq!(
                stand.remote.alive(),
                before,
                "{signal} after {moment} calls"
            );
        }
        assert_eq!(
            struck(&stand, proxy.url(), "-KILL", moment),
            None,
            "{moment}"
        );
        let cleaned = stand.run(proxy.url(), &["clean"]);
        assert_eq!(cleaned.status.code(), Some(0), "{}", said(&cleaned));
        let left = format!("killed after {moment} calls: {}", said(&cleaned));
        assert_eq!(stand.remote.alive(), before, "{left}");
    }
}

fn a_violation_is_told_with_its_law_and_without_secrets() {
    let stand = Stand::new("violation");
    let bend = r#"
        if $call | is("* */sso/token") then
          answered(200; {success: "no", data: {token: "a-token-nobody-may-see"}})
        else .body.data |= (.status = "asleep" | .seen = ($call | account)) end"#;
    let on = "* */billing/suspend -> 200, * */sso/token";
    let bend = Deviation::new(on, Doing::Answer(bend.to_owned()));
    let proxy = Proxy::start(stand.remote.url(), bend);
    let files = ["--html", "report.html", "--record", "answers.jsonl"];
    let ran = stand.run(
        proxy.url(),
        &[&["--only", "first look"], &files[..]].concat(),
    );
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    let sso = stand.run(proxy.url(), &["--only", "sso", "--junit", "sso.xml"]);
    let page = stand.written("report.html");
    for text in [&said(&ran), &page] {
        assert!(
            text.contains("asleep") && text.contains("`endpoint_id`, `status` = `paused`"),
            "{text}"
        );
        assert!(
            text.contains("$SECMON_API_KEY") && text.contains("/billing/suspend"),
            "{text}"
        );
    }
    for text in [
        said(&ran),
        page,
        stand.written("answers.jsonl"),
        said(&sso),
        stand.written("sso.xml"),
    ] {
        assert!(
            !text.contains(KEY) && !text.contains("nobody-may-see"),
            "{text}"
        );
    }
}

fn what_no_document_excludes_is_a_difference() {
    let stand = Stand::new("difference");
    for (on, change, words) in [
        (
            "endpoints",
            r#".body.meta.region = "eu""#,
            ["difference: list_endpoints 200", "region"],
        ),
        (
            "alerts",
            "del(.body.data.has_more)",
            ["breaks: E6", "sdk/src/operations/port_alerts.rs"],
        ),
    ] {
        let bend = Deviation::new(
            &format!("* /api/v1/{on} -> 200"),
            Doing::Answer(change.to_owned()),
        );
        let proxy = Proxy::start(stand.remote.url(), bend);
        let ran = stand.run(proxy.url(), &["--read-only", "--developer"]);
        let (code, shown) = (ran.status.code(), said(&ran));
        assert!(
            code == Some(0) && words.iter().all(|word| shown.contains(word)),
            "{code:?} {shown}"
        );
        // Our own files are nothing to a vendor.
        let shown = said(&stand.run(proxy.url(), &["--read-only"]));
        assert!(!shown.contains(".rs"), "{shown}");
    }
}

fn what_nobody_told_of_a_service_is_said_at_the_start_and_blames_nobody() {
    let stand = Stand::new("untold");
    let config = "[products.port_monitoring]\nmini = 6\nmaxi = 40\n";
    let mock = MockServer::builder().rate_limit(RateLimit::Off);
    let mock = mock.config(Config::parse(config).expect("a configuration"));
    let mock = mock.start().expect("a server");
    let others = r#"
        if .body.new_plan_slug == "starter" then invalid("new_plan_slug"; "There is no such plan.")
        elif .body.plan_slug == "starter" then invalid("plan_slug"; "There is no such plan.")
        elif (.body.ip_address // .body.hostname) == "web.example.com" then refused(422; "DNS_RESOLUTION_FAILED")
        else empty end"#;
    let bend = Deviation::new("POST *", Doing::Instead(others.to_owned()));
    let proxy = Proxy::start(mock.url(), bend);
    let run = |only: &str, told: &[(&str, &str)]| {
        let mut command = stand.command(proxy.url(), &["--only", only]);
        command.env_remove("SECMON_CONTRACT_PLANS");
        let ran = command.envs(told.iter().copied()).output();
        let ran = ran.expect("the program runs");
        (ran.status.code(), said(&ran))
    };
    let (plans, hostname) = ("SECMON_CONTRACT_PLANS", "SECMON_CONTRACT_HOSTNAME");
    for (only, variable, told) in [
        ("places_are_the_sum", plans, "mini=6,maxi=40"),
        ("a_hostname_is_resolved", hostname, "host.example.org"),
    ] {
        let (code, said) = run(only, &[]);
        let at_the_start = "Some cases are not reached: the service does not";
        assert_eq!(said.matches(at_the_start).count(), 2, "{said}");
        assert!(
            said.contains("2 cases not reached: the service does not"),
            "{said}"
        );
        assert!(said.contains(variable), "{said}");
        assert!(
            said.contains("0 of 2 cases held, 0 violations") && code == Some(0),
            "{code:?} {said}"
        );
        let (code, said) = run(only, &[(variable, told)]);
        assert!(
            said.contains("2 of 2 cases held, 0 violations") && code == Some(0),
            "{code:?} {said}"
        );
    }
    // What somebody told is held against the service.
    let (code, said) = run("places_are_the_sum", &[(plans, "small=5,large=25")]);
    assert!(
        said.contains("1 violation") && code == Some(1),
        "{code:?} {said}"
    );
}

fn what_many_cases_show_is_told_once_and_a_steered_run_leaves_nothing() {
    let stand = Stand::new("once");
    let more = Doing::Answer(".body.global_count += 1".to_owned());
    let bend = Deviation::new("* */whitelists/endpoint-summary -> 200", more);
    let proxy = Proxy::start(stand.remote.url(), bend);
    let few = ["--only", "scenes::a_service"];
    // An operation chooses the scenes and walks that call it.
    let of_one = said(&stand.run(stand.remote.url(), &["--only", "release_domain"]));
    assert!(of_one.contains("held, 0 violations"), "{of_one}");
    assert!(!of_one.contains("nothing was asked"), "{of_one}");
    // Each case has a customer of its own, and so another sentence.
    let alone = said(&stand.run(proxy.url(), &few));
    let told = alone.contains(" times): scenes::") && alone.contains("stays");
    let steering = ["--admin-url", proxy.url()];
    let steered = said(&stand.run(proxy.url(), &[few, steering].concat()));
    assert!(told && !steered.contains("stays"), "{alone}\n{steered}");
}

fn what_a_run_recorded_is_held_against_the_mock() {
    let stand = Stand::new("recorded");
    let further = r#".body.data.resumed_at = "2026-01-01T00:00:00+00:00""#;
    let bend = Deviation::new(
        "* */billing/resume -> 2*",
        Doing::Answer(further.to_owned()),
    );
    let proxy = Proxy::start(stand.remote.url(), bend);
    stand.run(
        proxy.url(),
        &["--only", "first look", "--record", "answers.jsonl"],
    );
    let compared = stand.run("", &["compare", "answers.jsonl"]);
    let said = said(&compared);
    assert_eq!(compared.status.code(), Some(1), "{said}");
    assert!(
        said.contains("resume_endpoint 200: the mock has no /data/resumed_at"),
        "{said}"
    );
    assert!(said.contains(", 1 difference from the mock"), "{said}");
}

fn what_cannot_begin_says_why() {
    let stand = Stand::new("refused");
    let url = stand.remote.url();
    // Others may write the configuration, and read the key.
    stand.leave_open(
        "secmon/config.toml",
        &format!(
            "[profiles.open]\nbase_url = \"{url}\"\nkey_command = \"cat key\"\n\
             [profiles.read]\nbase_url = \"{url}\"\nkey_file = \"key\"\n"
        ),
    );
    stand.leave_open("secmon/key", KEY);
    let with = |name: &str, value: &str| {
        let mut command = stand.command(url, &[]);
        let ran = command.env(name, value).output();
        ran.expect("the program runs")
    };
    let with_key = |key: &str| with("SECMON_API_KEY", key);
    let (limits, plans) = ("SECMON_CONTRACT_RATE_LIMITS", "SECMON_CONTRACT_PLANS");
    let nowhere = ["--admin-url", "http://127.0.0.1:9"];
    let of = |profile| stand.run(url, &["--profile", profile]);
    for (ran, code, word) in [
        (stand.run("http://127.0.0.1:9", &[]), 7, "gives no answer"),
        (with_key("nobodys"), 3, "refuses the key: Unauthenticated."),
        (with_key(""), 2, "set SECMON_API_KEY"),
        (of("x"), 2, "there is no profile"),
        (of("open"), 2, "config.toml: make it yours alone"),
        (of("read"), 2, "key: make it yours alone"),
        (with(limits, "many"), 2, limits),
        (with(plans, "many"), 2, plans),
        (with(plans, "small=5"), 2, "two plans or more"),
        (stand.run(url, &nowhere), 7, "--admin-url"),
        (
            stand.run(url, &["--read-only", "--only", "endpoints"]),
            2,
            "leave out --only or --read-only",
        ),
        // Races are for the whole level.
        (stand.run(url, &["--only", "eight_"]), 2, "--only eight_"),
    ] {
        let said = said(&ran);
        assert_eq!(ran.status.code(), Some(code), "{said}");
        assert!(said.contains(word) && said.lines().count() == 1, "{said}");
    }
    // What needs a clock is not reached here, and nothing else was asked for.
    let ran = stand.run(url, &["--only", "a_cooldown_ends"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("nothing was asked"), "{}", said(&ran));
}

/// A wait that is rounded down, and one that is rounded up of times in whole seconds, which leaves nobody refused.
const WAITS: [(&str, Option<i32>); 2] = [
    (
        r#"
        if code == "RATE_LIMITED" then
          .body.error.details.retry_after_seconds |= . - 1
          | .headers["retry-after"] = .body.error.details.retry_after_seconds
        end"#,
        Some(1),
    ),
    (
        r#"
        told_at as $now | "scan of \($call.body.endpoint_id)" as $name
        | if .status == 202 then keep($name; $now + .body.data.cooldown_seconds)
          elif code == "RATE_LIMITED" then
            .body.error.details.retry_after_seconds = recall($name) - $now
            | .headers["retry-after"] = recall($name) - $now
          end"#,
        Some(0),
    ),
];

fn a_wait_that_is_rounded_down_is_noticed_on_a_clock_that_runs() {
    let stand = Stand::new("waits");
    for (bend, code) in WAITS {
        let bend = Deviation::new("POST */scan-endpoint -> *", Doing::Answer(bend.to_owned()));
        let proxy = Proxy::start(stand.remote.url(), bend);
        let ran = stand.run(proxy.url(), &["--only", "the_wait_for_a_scan"]);
        let said = said(&ran);
        assert_eq!(ran.status.code(), code, "{said}");
        let sentence = "is told to wait 299 s, though the cooldown is 300 s";
        assert_eq!(said.contains(sentence), code == Some(1), "{said}");
    }
}

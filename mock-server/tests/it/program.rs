//! The binary: start-up, signals, exit codes.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::json;

use crate::client::Caller;

/// A running `secmon-mock`; killed when the test ends.
pub struct Program {
    child: Child,
    pub url: String,
}

impl Program {
    /// Starts it with these arguments on a free port and waits for its line.
    pub fn start(arguments: &[&str]) -> Self {
        Self::of(command(arguments))
    }

    /// The same for a command that ends in flags of the program.
    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a standard output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("{line:?}"));
        Self {
            url: url.to_owned(),
            child,
        }
    }

    pub fn caller(&self) -> Caller {
        Caller::new(&self.url)
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("it ends");
    }

    pub fn terminate(&mut self) -> ExitStatus {
        self.signal("-TERM");
        self.child.wait().expect("it ends")
    }

    /// All that it said on standard error; ask when it has ended.
    pub fn errors(&mut self) -> String {
        let mut said = String::new();
        let mut errors = self.child.stderr.take().expect("a standard error");
        errors.read_to_string(&mut said).expect("text");
        said
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It is gone already where the test ended it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_secmon-mock"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SECMON_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it to its end: exit code, standard output, standard error.
pub fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn refused(arguments: &[&str]) -> String {
    let (code, out, error) = run(&mut command(arguments));
    assert_eq!(code, Some(2), "{error}");
    assert_eq!(out, "");
    assert!(error.starts_with("error: "), "{error}");
    error
}

#[test]
fn it_says_where_it_listens_and_sigterm_ends_it_with_0() {
    let folder = tempfile::tempdir().expect("a folder");
    let port_file = folder.path().join("port");
    let mut program = Program::start(&["--port-file", port_file.to_str().expect("a path")]);
    program.caller().get("/api/v1/health").expect(200);
    let port = std::fs::read_to_string(&port_file).expect("a port file");
    assert!(program.url.ends_with(&format!(":{}", port.trim())));
    assert_eq!(program.terminate().code(), Some(0));
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .collect();
    assert_eq!(left.len(), 0, "the port file is gone");
}

#[test]
fn sigint_finishes_a_call_in_flight() {
    let mut program = Program::start(&[]);
    let caller = program.caller();
    caller
        .post("/_mock/faults", json!({ "effect": { "latency_ms": 200 } }))
        .expect(201);
    let slow = caller.clone();
    let waiting = std::thread::spawn(move || slow.get("/api/v1/health").status);
    while caller.get("/_mock/faults").at("/faults/0/hits") == 0 {
        std::thread::yield_now();
    }
    program.signal("-INT");
    assert_eq!(waiting.join().expect("an answer"), 200);
    assert_eq!(program.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_port_in_use_is_one_sentence_and_exit_2() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let error = refused(&["--listen", &address]);
    assert!(error.contains(&address), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn a_configuration_with_a_mistake_is_one_sentence_and_exit_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mock.toml");
    for (text, named) in [
        ("[limits]\nmost = 3\n", "line 2: limits.most: "),
        ("[tenants", "line 1: "),
        ("surprise = 1\n", "line 1: surprise: "),
        (
            "[timings]\nscan_cooldown = 1\nscan_duration = \"2\"\n",
            "line 3: timings.scan_duration: ",
        ),
        (
            "[dns]\n\"web.example.com\" = \"nowhere\"\n",
            "line 2: dns.web.example.com: invalid IP address",
        ),
        (
            "[dns]\n\"a.test\" = \"::1\"\n\"a b\" = \"::1\"\n",
            "line 3: dns.a b: ",
        ),
        (
            "[rate_limits]\nstrict = 1\nwindow = 0\n",
            "line 3: rate_limits.window: ",
        ),
        (
            "[[tenants]]\nname = \"a\"\n[[tenants]]\nname = \"a\"\n",
            "line 4: tenants.1.name: is empty or given twice",
        ),
        (
            "[[tenants]]\nname = \"a\"\nkeys = [\"k\", \"k\"]\n",
            "line 3: tenants.0.keys: ",
        ),
        (
            "[[tenants]]\nname = \"a\"\nscenario = \"wild\"\n",
            "line 3: tenants.0.scenario: ",
        ),
        (
            "[products.port_monitoring]\nstarter = \"five\"\n",
            "line 2: products.port_monitoring.starter: ",
        ),
    ] {
        std::fs::write(&file, text).expect("a file");
        let error = refused(&["--config", file.to_str().expect("a path")]);
        assert!(error.contains(named), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let unquoted = "[[tenants]]\nname = \"a\"\nkeys = [12345678]\n";
    std::fs::write(&file, unquoted).expect("a file");
    let error = refused(&["--config", file.to_str().expect("a path")]);
    assert!(error.contains("line 3: tenants.0.keys.0: "), "{error}");
    assert!(!error.contains("12345678"), "{error}");
    let error = refused(&["--config", "/nowhere/mock.toml"]);
    assert!(error.contains("/nowhere/mock.toml"), "{error}");
}

#[test]
fn a_configuration_gives_accounts_limits_names_and_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mock.toml");
    let text = r#"
        [limits]
        default_endpoint_limit = 1
        [rate_limits]
        default = 3
        [dns]
        "Web.example.com" = "203.0.113.7"
        [[tenants]]
        name = "initech"
        keys = ["first", "second"]
        scenario = "clean"
    "#;
    std::fs::write(&file, text).expect("a file");
    let program = Program::start(&["--config", file.to_str().expect("a path")]);
    let caller = program.caller().with_key("second");
    let add = |name: &str| {
        caller.post(
            "/api/v1/billing/provision",
            json!({ "client_id": 1, "hostname": name }),
        )
    };
    add("web.example.com").expect(201);
    add("other.example.com").expect(403);
    let list = caller.get("/api/v1/endpoints").expect(200);
    assert_eq!(list.at("/data/0/ip_address"), "203.0.113.7");
    caller.get("/api/v1/endpoints").expect(200);
    caller.get("/api/v1/endpoints").expect(200);
    caller.get("/api/v1/endpoints").expect(429);
    program
        .caller()
        .with_key("test_key_acme")
        .get("/api/v1/endpoints")
        .expect(401);
    let tenants = program.caller().get("/_mock/tenants").at("/tenants");
    assert_eq!(tenants[0]["portal_domain"], "portal.initech.test");
}

#[test]
fn flags_come_from_the_environment_and_an_empty_variable_is_unset() {
    let mut child = command(&[])
        .env("SECMON_MOCK_LISTEN", "127.0.0.1:0")
        .env("SECMON_MOCK_CLOCK", "manual")
        .env("SECMON_MOCK_NOW", "2030-05-06T07:08:09+00:00")
        .env("SECMON_MOCK_RATE_LIMIT", "no")
        .env("SECMON_MOCK_SCENARIO", "")
        .env("SECMON_MOCK_STATE", "")
        .env("SECMON_MOCK_UNKIND", "0")
        .env("SECMON_MOCK_HOST", " one , two ,")
        .spawn()
        .expect("the binary runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("an output"))
        .read_line(&mut line)
        .expect("a line");
    let url = line.trim().trim_start_matches("listening on ").to_owned();
    let program = Program { child, url };
    let caller = program.caller();
    assert_eq!(
        caller.get("/_mock/clock").at("/now"),
        "2030-05-06T07:08:09+00:00"
    );
    caller
        .with("Host", "two:80")
        .get("/_mock/tenants")
        .expect(200);
    for _ in 0..110 {
        caller
            .with_key("test_key_acme")
            .get("/api/v1/endpoints")
            .expect(200);
    }
}

#[test]
fn wrong_flags_are_refused_with_exit_2() {
    for arguments in [
        &["--listen", "here"][..],
        &["--clock", "lunar"],
        &["--clock", "manual", "--now", "noon"],
        &["--now", "2026-01-01T00:00:00Z"],
        &["--scenario", "calm"],
        &["--rate-limit", "maybe"],
        &["--seed", "-1"],
        &["--listen", "0.0.0.0:0", "--admin-key", " "],
        &["--nonsense"],
        &["--listen", "0.0.0.0:0"],
    ] {
        let (code, out, error) = run(&mut command(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
        assert_eq!(out, "");
        assert!(!error.is_empty());
    }
}

#[cfg(not(feature = "tls"))]
#[test]
fn a_build_without_tls_says_so_where_it_is_asked_for() {
    let error = refused(&["--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0"]);
    assert!(error.contains("built without TLS"), "{error}");
}

#[test]
fn an_admin_key_in_the_environment_never_shows_in_help() {
    let (code, out, _) = run(command(&["--help"]).env("SECMON_MOCK_ADMIN_KEY", "opensesame"));
    assert_eq!(code, Some(0));
    assert!(out.contains("SECMON_MOCK_ADMIN_KEY"));
    assert!(!out.contains("opensesame"));
}

#[test]
fn routes_prints_every_operation() {
    let (code, out, _) = run(&mut command(&["routes"]));
    assert_eq!(code, Some(0));
    for line in [
        "GET /api/v1/health get_health",
        "POST /api/v1/provisioning/provision provision_endpoint",
        "DELETE /api/v1/whitelists/{whitelist} delete_rule",
    ] {
        assert!(out.lines().any(|known| known == line), "{line} in {out}");
    }
    assert!(!out.contains("/provisioning/scan-endpoint"));
}

#[test]
fn a_port_file_that_cannot_be_written_is_exit_2() {
    let error = refused(&["--listen", "127.0.0.1:0", "--port-file", "/nowhere/port"]);
    assert!(error.contains("/nowhere/port"), "{error}");
    assert!(!Path::new("/nowhere").exists());
}

#[test]
fn an_admin_api_of_its_own_says_where_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let port_file = folder.path().join("admin-port");
    let mut mock = command(&["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    mock.arg("--admin-port-file").arg(&port_file);
    let mut child = mock.spawn().expect("the binary runs");
    let mut out = BufReader::new(child.stdout.take().expect("a standard output"));
    let mut lines = [String::new(), String::new()];
    for line in &mut lines {
        out.read_line(line).expect("a line");
    }
    child.kill().expect("it was running");
    child.wait().expect("it ends");
    let port = std::fs::read_to_string(&port_file).expect("a port");
    assert!(lines[0].starts_with("listening on http://"), "{lines:?}");
    let admin = lines[1].strip_prefix("admin on http://127.0.0.1:");
    assert_eq!(admin, Some(port.as_str()), "{lines:?}");
}

#[test]
fn a_newcomer_is_told_keys_page_and_what_to_try() {
    let mut program = Program::start(&[]);
    let url = program.url.clone();
    program.terminate();
    let told = program.errors();
    for part in [
        "acme      key test_key_acme",
        &format!("page: {url}/_mock/"),
        &format!("SECMON_BASE_URL={url} "),
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
}

#[test]
fn the_description_is_printed_in_either_form() {
    let printed = |arguments: &[&str]| run(&mut command(arguments)).1;
    assert!(printed(&["openapi"]).contains("\nopenapi: 3.1"));
    assert_eq!(
        printed(&["openapi", "--format", "yaml"]),
        printed(&["openapi"])
    );
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["openapi", "--format", "json"])).expect("JSON");
    assert_eq!(json["openapi"], "3.1.0");
}

#[test]
fn a_port_file_may_be_a_link_or_a_pipe_and_both_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (link, target, pipe) = (path("link"), path("target"), path("pipe"));
    std::fs::write(&target, "1\n").expect("a file");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let made = Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    let linked = Program::start(&["--port-file", link.to_str().expect("a path")]);
    assert!(link.is_symlink());
    let told = std::fs::read_to_string(&target).expect("a port");
    assert!(linked.url.ends_with(&format!(":{}", told.trim())), "{told}");
    let read = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).expect("a port")
    });
    let piped = Program::start(&["--port-file", pipe.to_str().expect("a path")]);
    assert!(!std::fs::metadata(&pipe).expect("the pipe").is_file());
    let told = read.join().expect("it is read");
    assert!(piped.url.ends_with(&format!(":{}", told.trim())), "{told}");
}

#[test]
fn a_program_that_ends_takes_its_port_files_along_m14() {
    let folder = tempfile::tempdir().expect("a folder");
    let [own, of_another] = ["own", "another"].map(|name| folder.path().join(name));
    let start = |path: &Path| Program::start(&["--port-file", path.to_str().expect("a path")]);
    let (mut first, mut second) = (start(&own), start(&of_another));
    assert!(own.exists() && of_another.exists());
    std::fs::write(&of_another, "1\n").expect("a file");
    assert_eq!(first.terminate().code(), Some(0));
    assert_eq!(second.terminate().code(), Some(0));
    assert!(!own.exists());
    assert_eq!(std::fs::read_to_string(&of_another).expect("a port"), "1\n");
}

#[test]
fn a_start_that_failed_leaves_no_port_of_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let port_file = folder.path().join("port");
    std::fs::write(&port_file, "4010\n").expect("a file");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    refused(&[
        "--listen",
        &address,
        "--port-file",
        port_file.to_str().expect("a path"),
    ]);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}

#[test]
fn beyond_what_the_descriptors_allow_the_answer_is_503() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 80; exec \"$@\"", "sh"]);
    let program = command(&[]);
    shell.arg(program.get_program());
    let program = Program::of(shell);
    let address = program.url.trim_start_matches("http://").to_owned();
    let connect = || std::net::TcpStream::connect(&address).expect("a connection");
    // Kept open, and nothing asked.
    let idle: Vec<_> = (0..16).map(|_| connect()).collect();
    let mut said = String::new();
    connect().read_to_string(&mut said).expect("an answer");
    assert!(said.starts_with("HTTP/1.1 503"), "{said:?}");
    drop(idle);
}

#[test]
fn a_slow_head_does_not_hold_up_others() {
    use std::io::Write;
    let program = Program::start(&[]);
    let address = program.url.trim_start_matches("http://");
    let idle: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(address).expect("a connection");
            stream
                .write_all(b"GET /api/v1/health HTTP/1.1\r\n")
                .expect("half a head");
            stream
        })
        .collect();
    program.caller().get("/api/v1/health").expect(200);
    drop(idle);
    let mut garbage = std::net::TcpStream::connect(address).expect("a connection");
    garbage
        .write_all(b"\x16\x03\x01 not http\r\n\r\n")
        .expect("bytes");
    let mut answer = String::new();
    garbage.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    program.caller().get("/api/v1/health").expect(200);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for verb in ["openapi", "routes"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = command(&[verb]).stdout(writer).output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && said.is_empty(), "{verb}: {said}");
    }
}

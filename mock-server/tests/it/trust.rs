//! `exec` and `certify` with https: what the command trusts, shown with the clients that are installed here.

use std::process::{Command, Stdio};

use crate::program::{command, run};

/// A client in some language: how to see whether it is installed, and a call of its own. The call fails unless it is
/// answered 200.
struct Client {
    name: &'static str,
    probe: &'static [&'static str],
    call: &'static str,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "curl",
        probe: &["curl", "--version"],
        call: r#"curl --silent --fail --noproxy '*' --output /dev/null --header "Authorization: Bearer $SECMON_API_KEY" "$CALLED""#,
    },
    Client {
        name: "Python's urllib",
        probe: &["python3", "--version"],
        call: r#"python3 -c '
import os, urllib.request
call = urllib.request.Request(os.environ["CALLED"], headers={"Authorization": "Bearer " + os.environ["SECMON_API_KEY"]})
assert urllib.request.urlopen(call).status == 200'"#,
    },
    Client {
        name: "Python's requests",
        probe: &["python3", "-c", "import requests"],
        call: r#"python3 -c '
import os, requests
key = {"Authorization": "Bearer " + os.environ["SECMON_API_KEY"]}
assert requests.get(os.environ["CALLED"], headers=key).status_code == 200'"#,
    },
    Client {
        name: "Node's fetch",
        probe: &["node", "--eval", "fetch"],
        call: r#"node --eval '
fetch(process.env.CALLED, { headers: { authorization: "Bearer " + process.env.SECMON_API_KEY } })
  .then(answer => process.exit(answer.status == 200 ? 0 : 1), () => process.exit(1))'"#,
    },
    Client {
        name: "PHP's curl",
        probe: &["php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"],
        call: r#"php -r '
$call = curl_init(getenv("CALLED"));
curl_setopt_array($call, [CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => ["Authorization: Bearer " . getenv("SECMON_API_KEY")]]);
curl_exec($call);
exit(curl_getinfo($call, CURLINFO_RESPONSE_CODE) == 200 ? 0 : 1);'"#,
    },
    Client {
        name: "PHP's streams",
        probe: &["php", "-r", "exit(extension_loaded('openssl') ? 0 : 1);"],
        call: r#"php -r '
$with_key = ["http" => ["header" => "Authorization: Bearer " . getenv("SECMON_API_KEY")]];
exit(@file_get_contents(getenv("CALLED"), false, stream_context_create($with_key)) === false ? 1 : 0);'"#,
    },
];

/// Calls, then meets each fault of TLS once and calls again; 0 when it was refused just where it had to be.
const MEETS_TROUBLE: &str = r#"
export CALLED="$SECMON_BASE_URL/api/v1/endpoints" NO_PROXY='*' no_proxy='*'
case "$CALLED" in https://*) ;; *) echo "the address is $CALLED" >&2; exit 9;; esac
call || { echo "the first call was refused" >&2; exit 10; }
for trouble in expired wrong_host untrusted; do
  curl --silent --fail --noproxy '*' --output /dev/null --header "Authorization: Bearer $SECMON_MOCK_ADMIN_KEY" \
    --data "{\"effect\":{\"tls\":\"$trouble\"}}" "$SECMON_MOCK_ADMIN_URL/_mock/faults" || exit 11
  call 2>/dev/null && { echo "$trouble was not noticed" >&2; exit 12; }
  call || { echo "the call after $trouble was refused" >&2; exit 13; }
done
"#;

fn exec(script: &str) -> Command {
    by_https(&["exec"], script)
}

/// A verb that runs this script with an https address.
fn by_https(verb: &[&str], script: &str) -> Command {
    let run = ["--tls-listen", "127.0.0.1:0", "--", "sh", "-c", script];
    command(&[verb, &run].concat())
}

fn is_installed(client: &Client) -> bool {
    let (program, arguments) = client.probe.split_first().expect("a program");
    let mut probe = Command::new(program);
    let probe = probe.args(arguments).stdin(Stdio::null());
    let probe = probe.stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

#[test]
fn installed_clients_call_with_checks_on_and_refuse_what_is_wrong() {
    for client in CLIENTS {
        if !is_installed(client) {
            assert_ne!(client.name, "curl", "curl is needed");
            eprintln!("skipped: {} is not installed", client.name);
            continue;
        }
        let script = format!("call() {{\n{}\n}}\n{MEETS_TROUBLE}", client.call);
        let (code, _, error) = run(&mut exec(&script));
        assert_eq!(code, Some(0), "{}: {error}", client.name);
        eprintln!("called: {}", client.name);
    }
}

#[test]
fn the_command_keeps_what_it_trusted_and_the_file_goes_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own.pem");
    std::fs::write(&own, "of the company").expect("a file");
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    let script = r#"
for file in "$SSL_CERT_FILE" "$CURL_CA_BUNDLE" "$REQUESTS_CA_BUNDLE" "$NODE_EXTRA_CA_CERTS"; do
  grep -q 'of the company' "$file" && grep -q 'BEGIN CERTIFICATE' "$file" || exit 5
done
for setting in openssl.cafile curl.cainfo; do
  grep -q "^$setting=\"$SSL_CERT_FILE\"" "${PHP_INI_SCAN_DIR##*:}"/*.ini || exit 6
done
echo "$PHP_INI_SCAN_DIR"
echo "$SSL_CERT_FILE""#;
    let mut command = exec(script);
    command.env("REQUESTS_CA_BUNDLE", &own);
    command.env("PHP_INI_SCAN_DIR", "/etc/own");
    let (code, out, error) = run(command.env("TMPDIR", &temporary));
    assert_eq!(code, Some(0), "{error}");
    let place = temporary.to_str().expect("a path");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with(&format!("/etc/own:{place}/")), "{out}");
    assert!(lines[1].starts_with(place), "{out}");
    let left = std::fs::read_dir(&temporary).expect("a folder").count();
    assert_eq!(left, 0);
}

#[test]
fn without_https_the_command_trusts_what_it_did() {
    let script = "echo $SECMON_BASE_URL-$SSL_CERT_FILE-$PHP_INI_SCAN_DIR";
    let mut command = command(&["exec", "--", "sh", "-c", script]);
    let command = command.env_remove("PHP_INI_SCAN_DIR");
    let (_, out, _) = run(command.env("SSL_CERT_FILE", "/own.pem"));
    assert!(out.starts_with("http://"), "{out}");
    assert!(out.trim().ends_with("-/own.pem-"), "{out}");
}

#[test]
fn a_bundle_that_cannot_be_written_is_said_before_the_command_runs() {
    let mut command = exec("echo no");
    let (code, out, error) = run(command.env("TMPDIR", "/nowhere"));
    assert_eq!((code, out.as_str()), (Some(125), ""));
    assert!(
        error.contains("/nowhere") && error.contains("TMPDIR"),
        "{error}"
    );
}

#[test]
fn playbooks_are_played_by_https_as_well() {
    let script = r#"
case "$SECMON_BASE_URL" in https://*) ;; *) exit 9;; esac
curl --silent --fail --noproxy '*' --output /dev/null "$SECMON_BASE_URL/api/v1/health""#;
    let (_, out, error) = run(&mut by_https(&["certify", "lost-answer"], script));
    assert!(out.starts_with("lost-answer  failed"), "{out}{error}");
    assert!(!out.contains("exit code"), "{out}");
}

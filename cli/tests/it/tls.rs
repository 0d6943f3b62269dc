//! Calls by https, to a mock whose authority the program is told to trust.

use crate::shell::Shell;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A mock that is served by the program itself; it ends with the test.
struct Served {
    child: Child,
    url: String,
    secured_url: String,
}

impl Served {
    fn start(shell: &Shell) -> Self {
        let addresses = ["--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0"];
        let mut serve =
            shell.command(&[&["mock", "serve", "--tls-dir", "tls"], &addresses[..]].concat());
        let serve = serve.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = serve.spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("a standard output"));
        let mut lines = out.lines().map_while(Result::ok);
        let mut address = || {
            let line = lines.next().unwrap_or_default();
            let address = line.strip_prefix("listening on ").map(str::to_owned);
            address.unwrap_or_else(|| panic!("{line:?}"))
        };
        Self {
            url: address(),
            secured_url: address(),
            child,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is gone already where it could not go on.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn calls_go_by_https_and_a_wrong_certificate_ends_them() {
    let shell = Shell::new();
    let served = Served::start(&shell);
    let stranger = Shell::new()
        .with("SECMON_BASE_URL", &served.secured_url)
        .with("SECMON_API_KEY", "test_key_acme");
    assert_eq!(
        stranger.line("health -o json").exits(7).error()["code"],
        "tls"
    );
    let authority = shell.path("tls").join("ca.pem");
    let trusting = stranger
        .with("SSL_CERT_FILE", authority.to_str().expect("a path"))
        .with("SECMON_MOCK_ADMIN_URL", &served.url);
    trusting.line("endpoint list").exits(0);
    for trouble in ["expired", "wrong_host", "untrusted"] {
        let order = format!("mock fault add tls={trouble}");
        trusting.line(&order).exits(0);
        let refused = trusting.line("endpoint list -o json").exits(7);
        assert_eq!(refused.error()["code"], "tls", "{trouble}");
        trusting.line("endpoint list").exits(0);
    }
    let aimed = trusting.line("mock fault add tls=expired --method GET");
    let said = aimed.exits(1).stderr;
    assert!(said.contains("takes no method"), "{said}");
}

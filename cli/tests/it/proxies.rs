//! Proxies between this computer and the service.

use crate::shell::{Run, Shell, account};

/// The result of one check of `doctor`.
fn checked(run: &Run, name: &str) -> Option<(String, String)> {
    let checks = run.json();
    let checks = checks.as_array().expect("a list");
    let check = checks.iter().find(|check| check["check"] == name)?;
    let text = |field: &str| check[field].as_str().unwrap_or_default().to_owned();
    Some((text("result"), text("about")))
}

#[test]
fn doctor_says_which_proxy_is_used_and_why() {
    let portal = || {
        Shell::new()
            .with("SECMON_BASE_URL", "https://portal.invalid")
            .with("SECMON_API_KEY", "a-key-for-nobody")
    };
    let doctor = |shell: Shell| shell.line("doctor -o json --timeout 2s");
    let through = doctor(portal().with("HTTPS_PROXY", "http://me:hunter2@127.0.0.1:1"));
    let good = |about: &str| Some(("good".to_owned(), about.to_owned()));
    assert_eq!(
        checked(&through, "proxy"),
        good("http://127.0.0.1:1, from HTTPS_PROXY")
    );
    assert_eq!(checked(&through, "dns"), None, "the proxy looks it up");
    let except = portal()
        .with("ALL_PROXY", "127.0.0.1:1")
        .with("no_proxy", ".invalid");
    let except = doctor(except);
    assert_eq!(
        checked(&except, "proxy"),
        good("none: no_proxy excludes this host from ALL_PROXY")
    );
    assert_eq!(checked(&except, "dns").expect("a check").0, "bad");
    let broken = doctor(portal().with("https_proxy", "http//127.0.0.1:1"));
    let (result, about) = checked(&broken, "proxy").expect("a check");
    assert_eq!(result, "bad");
    assert!(about.contains("https_proxy cannot be read"), "{about}");
    assert_ne!(broken.code, 0);
    let plain = Shell::of(&account()).with("HTTPS_PROXY", "127.0.0.1:1");
    let plain = plain.line("doctor -o json").exits(0);
    assert_eq!(
        checked(&plain, "proxy"),
        good("none: HTTPS_PROXY is for https, and this is http")
    );
}

#[test]
fn help_names_the_variables_of_proxies() {
    let help = Shell::new().line("help environment").exits(0).stdout;
    for name in [
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SECMON_STATE",
    ] {
        assert!(help.contains(name), "{name}");
    }
}

//! What a name, a key and a number must be like: one rule for each, kept on every way in: the admin
//! API, the configuration, a document that is imported, and a state file. What one of them takes and
//! another refuses would be lost at the next start.

use secmon_engine::{AccountSettings, Hostname, RateLimits};

/// A reason, to be put behind the name of what is wrong.
pub(crate) type Judged = Result<(), &'static str>;

/// So often something is counted at most. The same number given twice would put one record in the
/// place of another.
const MOST: u64 = 1 << 31;

/// An account's name stands in paths and in the state file.
pub(crate) fn account_name(name: &str) -> Judged {
    judged(
        is_plain(name, 64),
        "must be 1 to 64 letters, digits, hyphens, underscores and dots",
    )
}

/// A portal domain is compared with the name in `Host`, which has no port by then.
pub(crate) fn portal_domain(domain: &str) -> Judged {
    judged(
        is_plain(domain, 253),
        "must be a host name of 1 to 253 letters, digits, hyphens, underscores and dots",
    )
}

/// A key is a word of the `Authorization` header.
pub(crate) fn api_key(key: &str) -> Judged {
    let is_sent =
        (1..=1024).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    judged(
        is_sent,
        "must be 1 to 1024 letters, digits and signs, without blanks",
    )
}

/// A name that resolves to an address given for it.
pub(crate) fn dns_name(name: &str) -> Judged {
    judged(
        Hostname::parse(name).is_ok(),
        "this is not a host name; write names as in \"web.example.com\"",
    )
}

/// A window is divided by.
pub(crate) fn rate_limits(limits: &RateLimits) -> Judged {
    judged(
        limits.window > 0,
        "0 seconds is not a valid window; write at least 1",
    )
}

/// How often something happened.
pub(crate) fn count(count: impl Into<u64>) -> Judged {
    judged(count.into() <= MOST, "must be at most 2147483648")
}

/// The settings of an account, as a file or a document has them.
pub(crate) fn settings(settings: &AccountSettings) -> Result<(), String> {
    let of = |field: &str, judged: Judged| judged.map_err(|reason| format!("{field}: {reason}"));
    of("name", account_name(&settings.name))?;
    of("portal_domain", portal_domain(&settings.portal_domain))?;
    of("rate_limits.window", rate_limits(&settings.rate_limits))?;
    for name in settings.dns.keys() {
        of("dns", dns_name(name))?;
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        of("dns", judged(is_lower, "its names are in lower case"))?;
    }
    Ok(())
}

/// A sentence that quotes what somebody sent, with escapes for what is no text: it goes to terminals.
pub(crate) fn in_one_line(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    for character in sentence.chars() {
        match character.is_control() {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    line
}

fn is_plain(text: &str, longest: usize) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    (1..=longest).contains(&text.len()) && text.chars().all(plain)
}

fn judged(is_right: bool, reason: &'static str) -> Judged {
    match is_right {
        true => Ok(()),
        false => Err(reason),
    }
}

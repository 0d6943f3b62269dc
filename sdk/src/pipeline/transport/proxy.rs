//! The proxy of the default transport, and the hosts that go without it.

use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};

use crate::error::Error;
use crate::origin::{host_and_port, host_name};

/// Where a proxy for https listens: `http://proxy.example:3128`, with `user:password@` before the host if it wants
/// them. They are never shown.
#[derive(Clone)]
pub struct ProxyAddress {
    url: SecretString,
    shown: String,
}

impl ProxyAddress {
    /// Reads the address of a proxy.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when it is not `http://` or `https://` and a
    /// host; the sentence does not repeat what was given, which may hold a password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let wrong = || Error::configuration(NO_PROXY_ADDRESS);
        let uri: Uri = url.trim().parse().map_err(|_| wrong())?;
        let known = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&uri.scheme());
        let authority = uri.authority().filter(|_| known).ok_or_else(wrong)?;
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        let is_origin = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if !is_origin || host_and_port(host).is_none() {
            return Err(wrong());
        }
        Ok(Self {
            shown: format!("{}://{host}", uri.scheme_str().unwrap_or_default()),
            url: SecretString::from(url.trim()),
        })
    }
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProxyAddress").field(&self.shown).finish()
    }
}

const NO_PROXY_ADDRESS: &str = "the address of the proxy is none: give http:// or https://, a host, and a port if it is not the usual one";

/// Which proxy https goes through, and where it does not.
#[derive(Debug, Clone)]
pub(super) struct ProxyRule {
    address: ProxyAddress,
    exceptions: Vec<Exception>,
}

impl ProxyRule {
    /// The caller's own proxy, for every host.
    pub(super) fn of(address: ProxyAddress) -> Self {
        Self {
            address,
            exceptions: Vec::new(),
        }
    }

    /// What the environment says; none where it names no proxy.
    ///
    /// # Errors
    /// A sentence that names the variable which cannot be read: without the proxy the request would go out directly.
    pub(super) fn of_environment(
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<Self>, String> {
        let is_text = |value: &OsString| value.to_str().is_none_or(|text| !text.trim().is_empty());
        let set = |name: &&str| variable(name).as_ref().is_some_and(is_text);
        let value = |name: &str| {
            let text = variable(name).unwrap_or_default().into_string();
            text.map_err(|_| format!("{name} cannot be read: it is not UTF-8"))
        };
        let proxies = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        let Some(name) = proxies.into_iter().find(|name| set(name)) else {
            return Ok(None);
        };
        let given = value(name)?;
        let given = match given.contains("://") {
            true => given,
            false => format!("http://{}", given.trim()),
        };
        let address = ProxyAddress::parse(&given)
            .map_err(|_| format!("{name} cannot be read: {NO_PROXY_ADDRESS}"))?;
        let exceptions = match ["NO_PROXY", "no_proxy"].into_iter().find(|name| set(name)) {
            None => Vec::new(),
            Some(name) => exceptions(&value(name)?).map_err(|entry| {
                format!("{name} cannot be read: `{entry}` is no host, no `.suffix` and no network")
            })?,
        };
        Ok(Some(Self {
            address,
            exceptions,
        }))
    }

    /// The proxy's name where this host and port go through it.
    pub(super) fn name_for(&self, host: &str, port: u16) -> Option<&str> {
        let goes_directly = self.exceptions.iter().any(|entry| entry.fits(host, port));
        (!goes_directly).then_some(self.address.shown.as_str())
    }

    /// For reqwest, https only.
    pub(super) fn for_https(self) -> Result<reqwest::Proxy, String> {
        let proxy: reqwest::Url =
            (self.address.url.expose_secret().parse()).map_err(|_| NO_PROXY_ADDRESS.to_owned())?;
        Ok(reqwest::Proxy::custom(move |url| {
            let port = url.port_or_known_default().unwrap_or(443);
            let applies = url.scheme() == "https"
                && self
                    .name_for(url.host_str().unwrap_or_default(), port)
                    .is_some();
            applies.then(|| proxy.clone())
        }))
    }
}

/// A host that is reached without the proxy.
#[derive(Debug, Clone)]
struct Exception {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Debug, Clone)]
enum Hosts {
    All,
    Network(IpNet),
    /// This name and all below it.
    Name(String),
}

impl Exception {
    fn fits(&self, host: &str, port: u16) -> bool {
        let host = host.trim_matches(['[', ']']).trim_end_matches('.');
        let fits = match &self.hosts {
            Hosts::All => true,
            Hosts::Network(network) => host
                .parse::<IpAddr>()
                .is_ok_and(|address| network.contains(&address)),
            Hosts::Name(name) => {
                let host = host.to_ascii_lowercase();
                let above = host.strip_suffix(name.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
        };
        fits && self.port.is_none_or(|only| only == port)
    }

    fn parse(entry: &str) -> Option<Self> {
        let whole = |hosts| Some(Self { hosts, port: None });
        if entry == "*" {
            return whole(Hosts::All);
        }
        if let Ok(network) = entry.parse::<IpNet>() {
            return whole(Hosts::Network(network));
        }
        if let Ok(address) = entry.parse::<IpAddr>() {
            return whole(Hosts::Network(address.into()));
        }
        let name = entry.trim_start_matches('*').trim_start_matches('.');
        let (host, port) = host_and_port(name)?;
        let hosts = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => Hosts::Network(address.into()),
            Err(_) => Hosts::Name(host_name(&host)?.trim_end_matches('.').to_ascii_lowercase()),
        };
        Some(Self { hosts, port })
    }
}

/// The entries of a list, parted by commas or blanks.
///
/// # Errors
/// The entry that is none.
fn exceptions(list: &str) -> Result<Vec<Exception>, String> {
    let entries = list
        .split([',', ' ', '\t'])
        .filter(|entry| !entry.is_empty());
    entries
        .map(|entry| Exception::parse(entry).ok_or_else(|| entry.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(proxy: &str, no_proxy: &str) -> Result<Option<ProxyRule>, String> {
        ProxyRule::of_environment(|name| match name {
            "HTTPS_PROXY" => Some(proxy.into()),
            "NO_PROXY" => Some(no_proxy.into()),
            _ => None,
        })
    }

    #[test]
    fn a_proxy_setting_that_cannot_be_read_names_its_variable_and_no_password() {
        for proxy in [
            "http//127.0.0.1:3128",
            "not a proxy",
            "ftp://127.0.0.1:3128",
            "socks5://127.0.0.1:1080",
            "http://user:hunter2 x@127.0.0.1:3128",
            "http://user:hunter2@127.0.0.1:99999",
            "http://127.0.0.1:3128/path",
        ] {
            let refused = rule(proxy, "").expect_err(proxy);
            assert!(
                refused.starts_with("HTTPS_PROXY cannot be read"),
                "{refused}"
            );
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        for entry in ["10.0.0.0/99", "-x-.example.com", "host:port", "[::1"] {
            let refused = rule("http://proxy.example:3128", entry).expect_err(entry);
            assert!(refused.starts_with("NO_PROXY cannot be read"), "{refused}");
        }
        assert!(matches!(rule(" ", "10.0.0.0/99"), Ok(None)));
    }

    #[cfg(unix)]
    #[test]
    fn a_proxy_setting_that_is_no_text_is_an_error_that_names_its_variable() {
        use std::os::unix::ffi::OsStringExt;
        let no_text = || OsString::from_vec(b"http://pr\xffxy:3128".to_vec());
        for broken in ["HTTPS_PROXY", "all_proxy", "NO_PROXY"] {
            let refused = ProxyRule::of_environment(|name| match name {
                _ if name == broken => Some(no_text()),
                "ALL_PROXY" if broken == "NO_PROXY" => Some("http://proxy.example:3128".into()),
                _ => None,
            });
            let said = format!("{broken} cannot be read: it is not UTF-8");
            assert_eq!(refused.err(), Some(said));
        }
    }

    #[test]
    fn exceptions_name_hosts_suffixes_networks_and_ports() {
        for (entry, direct, through) in [
            ("portal.example.com", "portal.example.com", "example.com"),
            ("example.com", "portal.EXAMPLE.com", "notexample.com"),
            (".example.com", "portal.example.com", "example.org"),
            ("*.example.com", "portal.example.com.", "example.org"),
            ("10.0.0.0/8, other", "10.1.2.3", "11.1.2.3"),
            ("x 192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("[::1]", "[::1]", "[::2]"),
            ("fd00::/8", "[fd00::7]", "[fe00::7]"),
            (
                "portal.example.com:443",
                "portal.example.com",
                "a.example.com",
            ),
        ] {
            let rule = rule("proxy.example:3128", entry);
            let rule = rule.expect(entry).expect("a proxy");
            assert_eq!(rule.name_for(direct, 443), None, "{entry}");
            let name = Some("http://proxy.example:3128");
            assert_eq!(rule.name_for(through, 443), name, "{entry}");
        }
        let other_port = rule("proxy.example:3128", "portal.example.com:8443");
        let other_port = other_port.expect("a rule").expect("a proxy");
        assert!(other_port.name_for("portal.example.com", 443).is_some());
        let all = rule("proxy.example:3128", "*").expect("a rule");
        assert_eq!(
            all.expect("a proxy").name_for("portal.example.com", 443),
            None
        );
    }
}

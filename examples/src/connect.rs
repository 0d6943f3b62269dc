//! The client, from the environment: one and the same program runs against the mock and against a portal.
//!
//! | variable | what |
//! | --- | --- |
//! | `SECMON_BASE_URL`, `SECMON_API_KEY` | which service; `secmon-mock exec --` sets both |
//! | `SECMON_RATE_LIMITS` | the limits of the key, where they are not `60,100/60s` |
//! | `SECMON_ALLOW_HTTP` | a host that plain http may reach, besides this computer |

use secmon::pacing::Priority;
use secmon::{ApiKey, Client, ClientBuilder};
use std::env;
use std::error::Error;
use std::time::Duration;

/// The two limits of a key, in requests for each window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Provisioning, SSO, alerts and domain monitoring together.
    pub strict: u32,
    /// Servers and Allowed Ports together.
    pub default: u32,
    /// How long a window is.
    pub window: Duration,
}

impl Limits {
    /// Those that the environment names, or else the service's own.
    ///
    /// # Errors
    /// A sentence, when the variable is no pair of limits.
    pub fn from_environment() -> Result<Self, String> {
        let text = env::var("SECMON_RATE_LIMITS").unwrap_or_else(|_| "60,100/60s".to_owned());
        Self::parse(&text).ok_or_else(|| {
            format!("SECMON_RATE_LIMITS: {text:?} is not a pair of limits: write it as 60,100/60s")
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (limits, window) = text.split_once('/')?;
        let (strict, default) = limits.split_once(',')?;
        let number = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
        let seconds = number(window.trim().strip_suffix('s')?)?;
        Some(Self {
            strict: number(strict)?,
            default: number(default)?,
            window: Duration::from_secs(seconds.into()),
        })
    }
}

/// What the environment says of the service, for a client that shares its budget with nobody.
///
/// # Errors
/// A sentence that names the variable which is missing or wrong.
pub fn from_environment() -> Result<ClientBuilder, Box<dyn Error>> {
    let Limits {
        strict,
        default,
        window,
    } = Limits::from_environment()?;
    let key = ApiKey::new(variable("SECMON_API_KEY")?)?;
    let builder = Client::builder(&variable("SECMON_BASE_URL")?, key);
    let builder = builder.rate_limits(strict, default, window);
    Ok(match env::var("SECMON_ALLOW_HTTP") {
        Ok(host) => builder.allow_http(host),
        Err(_) => builder,
    })
}

/// A variable that has to be there.
///
/// # Errors
/// A sentence that names it.
pub fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| {
        format!("{name} is not set: start the program with `secmon-mock exec --`, or set it for your portal")
    })
}

/// For somebody who waits at a screen: an answer within 20 seconds, or an error.
#[must_use]
pub fn for_a_screen(client: &Client) -> Client {
    let seconds = Duration::from_secs;
    client.with(|calls| {
        calls
            .operation_timeout(seconds(20))
            .queue_timeout(seconds(10))
    })
}

/// For work that has time: behind everybody at a screen, with five slots of each window left to them, and patient.
#[must_use]
pub fn for_the_background(client: &Client) -> Client {
    let seconds = Duration::from_secs;
    client.with(|calls| {
        calls
            .priority(Priority::Batch)
            .operation_timeout(seconds(900))
            .queue_timeout(seconds(600))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_a_pair_and_a_window() {
        let limits = Limits::parse("60, 100/2s");
        let (strict, default, window) = (60, 100, Duration::from_secs(2));
        let right = Limits {
            strict,
            default,
            window,
        };
        assert_eq!(limits, Some(right));
        for wrong in ["60/60s", "60,100", "0,100/60s", "60,100/1m", "60,100/0s"] {
            assert_eq!(Limits::parse(wrong), None, "{wrong}");
        }
    }
}

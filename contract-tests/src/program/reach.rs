//! Reaching the service that somebody names, and its admin API.

use crate::service::{Service, Steering, ask, check_environment};

use super::access::{self, Access};
use super::arguments::At;
use super::stop::Stop;

/// The service that somebody names, once it answers and takes the key.
pub(super) fn service(at: &At) -> Result<Service, Stop> {
    let Access { url, key } = Access::find(at.url.as_deref(), at.profile.as_deref())?;
    let steering = match &at.admin_url {
        Some(_) => Steering::Possible,
        None => Steering::Impossible,
    };
    let admin_url = at.admin_url.as_deref().unwrap_or(&url);
    let admin_key = access::text("SECMON_MOCK_ADMIN_KEY");
    check_environment().map_err(Stop::usage)?;
    reachable(&url, &key)?;
    if let Some(admin_url) = &at.admin_url {
        has_admin_api(admin_url)?;
    }
    Ok(Service::over_the_network(
        &url, key, steering, admin_url, admin_key,
    ))
}

/// Whether there is a service that takes the key.
fn reachable(url: &str, key: &str) -> Result<(), Stop> {
    let path = "/api/v1/endpoints?per_page=1";
    let address = format!("{}{path}", url.trim_end_matches('/'));
    let answer = ask("GET", &address, Some(key), &serde_json::Value::Null);
    match answer {
        Err(why) => Err(Stop {
            sentence: format!("{url} gives no answer: {why}"),
            code: 7,
        }),
        Ok((401 | 403, body)) => Err(Stop {
            sentence: format!(
                "{url} refuses the key: {}",
                body["message"].as_str().unwrap_or("no reason given")
            ),
            code: 3,
        }),
        Ok((200, _)) => Ok(()),
        Ok((status, _)) => Err(Stop {
            sentence: format!("{url} answers {status} to GET {path}: is it the partner API?"),
            code: 7,
        }),
    }
}

/// Whether the admin API is where somebody says: without it, what the service does wrong would be made up.
fn has_admin_api(url: &str) -> Result<(), Stop> {
    let address = format!("{}/_mock/health", url.trim_end_matches('/'));
    match ask("GET", &address, None, &serde_json::Value::Null) {
        Ok((200, _)) => Ok(()),
        Ok((status, _)) => Err(Stop {
            sentence: format!(
                "--admin-url {url} answers {status} to GET /_mock/health: is it the admin API of a mock?"
            ),
            code: 7,
        }),
        Err(why) => Err(Stop {
            sentence: format!("--admin-url {url} gives no answer: {why}"),
            code: 7,
        }),
    }
}

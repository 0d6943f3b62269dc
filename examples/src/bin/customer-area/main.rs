//! The customer area of a hosting provider: what a customer sees of its own domains and alerts, and the way into the
//! portal without a second password.
//!
//! | call | answer |
//! | --- | --- |
//! | `GET /customers/{customer}/domains` | the customer's domains and slots |
//! | `GET /customers/{customer}/domains/{domain}` | all about one of them |
//! | `GET /customers/{customer}/alerts` | open ports that no rule allows, newest first |
//! | `GET /customers/{customer}/domains/{domain}/alerts` | open alerts of a domain, newest first |
//! | `POST /customers/{customer}/portal` | 303 to the portal, signed in |
//!
//! Every call needs a session cookie, and is refused when the customer in its path is not the one who signed in. Every
//! call to the service carries the customer's id too, so that the service refuses another's record as well.
//!
//! ```sh
//! cargo build -p secmon-mock -p secmon-examples
//! echo '{"a-long-random-text": 42}' > sessions.json
//! target/debug/secmon-mock exec --fixtures mock-server/fixtures.toml -- target/debug/customer-area sessions.json
//! curl -b session=a-long-random-text http://127.0.0.1:8080/customers/42/domains
//! ```
//!
//! It needs what [`secmon_examples::connect`] reads from the environment, and listens at `LISTEN`, `127.0.0.1:8080`
//! unless given. `session.rs` says who signed in (put your own session store there), `pages.rs` reads and shows,
//! `portal.rs` signs in to the portal.

mod pages;
mod portal;
mod session;

use crate::session::Sessions;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use secmon::{Client, Error};
use secmon_examples::connect;
use secmon_examples::end::{self, End};
use secmon_examples::policy::{self, Next};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;

/// What every call needs.
struct Area {
    client: Client,
    sessions: Sessions,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    end::exit("customer-area", run().await)
}

async fn run() -> Result<End, Box<dyn std::error::Error>> {
    let [file] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("name the file with the sessions: customer-area SESSIONS.json".into());
    };
    let area = Arc::new(Area {
        client: connect::for_a_screen(&connect::from_environment()?.build()?),
        sessions: Sessions::read(Path::new(file))?,
    });
    let listen = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(&listen).await.map_err(|error| {
        format!("cannot listen at {listen}: {error}; set LISTEN to a free address")
    })?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, router(area)).await?;
    Ok(End::Done)
}

fn router(area: Arc<Area>) -> Router {
    Router::new()
        .route("/customers/{customer}/domains", get(pages::domains))
        .route("/customers/{customer}/domains/{domain}", get(pages::domain))
        .route("/customers/{customer}/alerts", get(pages::port_alerts))
        .route(
            "/customers/{customer}/domains/{domain}/alerts",
            get(pages::domain_alerts),
        )
        .route("/customers/{customer}/portal", post(portal::sign_in))
        .layer(map_response(private))
        .with_state(area)
}

/// One customer's page is never kept by a browser or proxy that the next one uses.
async fn private(mut response: Response) -> Response {
    let no_store = HeaderValue::from_static("no-store");
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, no_store);
    response
}

/// What the customer is told of an error. The rest goes to our log: errors of the client hold no key and no token.
fn problem(error: &Error) -> Response {
    let next = policy::next(error);
    eprintln!("{next} ({error})");
    let later = "Please try again in a few minutes.";
    match next {
        Next::AskCustomer(sentence) => (StatusCode::UNPROCESSABLE_ENTITY, sentence).into_response(),
        _ if error.is_record_not_found() => {
            (StatusCode::NOT_FOUND, "This is not monitored.").into_response()
        }
        Next::RetryLater { after } => {
            let after = after.unwrap_or(60).to_string();
            let headers = [(header::RETRY_AFTER, after)];
            (StatusCode::SERVICE_UNAVAILABLE, headers, later).into_response()
        }
        Next::LookFirst => (StatusCode::SERVICE_UNAVAILABLE, later).into_response(),
        Next::Done | Next::AskOperator(_) | Next::Halt(_) => (
            StatusCode::BAD_GATEWAY,
            "This is not available at the moment. We have been told.",
        )
            .into_response(),
    }
}

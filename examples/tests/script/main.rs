//! The module against scripted answers: no network, and time that passes at once.

mod hooks;
mod pages;
mod policy;
mod runs;

use secmon::testing::{self, Script};
use secmon::{ErrorCode, Operation};
use secmon_examples::billing::Module;
use secmon_examples::billing::policy::{Next, next};
use secmon_examples::billing::queue::{Goods, Order};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

const SERVER: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn module(script: &Arc<Script>) -> Module {
    Module::connect_with("https://portal.example.com", "the-first-key", |client| {
        client.transport(script.clone())
    })
    .expect("a module")
}

/// An alert that was open before the module was started again.
fn old_alert() -> secmon::watch::CustomerAlert {
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    testing::model(json!({"port": {"id": id, "port": 80, "protocol": "tcp", "status": "open"}}))
}

fn file(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!(
        "secmon-examples-{name}-{}.json",
        std::process::id()
    ));
    let _ = std::fs::remove_file(&file);
    file
}

fn order(service: u64, goods: Goods) -> Order {
    let (customer, service) = (
        "42".parse().expect("an id"),
        service.try_into().expect("an id"),
    );
    Order {
        customer,
        service,
        goods,
        client_name: None,
    }
}

fn server() -> Order {
    order(7, Goods::Server("2001:db8::1".into()))
}

fn endpoint(status: &str) -> Value {
    json!({"id": SERVER, "ip_address": "2001:DB8:0::1", "status": status, "billing_customer_id": 42})
}

fn refused<O: Operation>(status: u16, code: ErrorCode) -> Next {
    let answer = testing::api_error_with(
        status.try_into().expect("a status"),
        code,
        "No.",
        json!({"current_usage": 8, "new_limit": 5, "retry_after_seconds": 90}),
    );
    next(&testing::error::<O>(answer))
}

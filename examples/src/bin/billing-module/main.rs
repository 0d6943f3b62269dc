//! The hooks of a billing system: what was ordered, not paid, paid after all, cancelled or changed.
//!
//! It reads hooks as JSON, one a line, works them off in their order and answers each with a line of JSON: what to do
//! next, and what to tell whom ([`secmon_examples::policy`]). The billing system delivers again what is not `done`. A
//! journal remembers the deliveries that are, so the same hooks can be piped in again after a crash or an outage.
//!
//! ```sh
//! cargo build -p secmon-mock -p secmon-examples
//! target/debug/secmon-mock exec -- target/debug/billing-module hooks.done < examples/hooks.jsonl
//! ```
//!
//! It needs what [`secmon_examples::connect`] reads from the environment, and ends with the codes of
//! [`secmon_examples::end`]. `hook.rs` is what a hook is, `work.rs` is what it leads to.

mod hook;
mod work;

use crate::hook::Hook;
use secmon::model::ServiceId;
use secmon::{Client, Delivery};
use secmon_examples::connect;
use secmon_examples::end::{self, End};
use secmon_examples::journal::Journal;
use secmon_examples::policy::{self, Next};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    end::exit("billing-module", run().await)
}

async fn run() -> Result<End, Box<dyn Error>> {
    let [file] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err(
            "name the file that remembers deliveries: billing-module JOURNAL < HOOKS".into(),
        );
    };
    let mut journal = Journal::open(Path::new(file))?;
    let client = connect::for_the_background(&connect::from_environment()?.build()?);
    let (mut end, mut held) = (End::Done, BTreeSet::new());
    for (number, line) in std::io::stdin().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let hook: Hook = match serde_json::from_str(&line) {
            Ok(hook) => hook,
            Err(problem) => {
                let text = format!("line {} is no hook: {problem}", number + 1);
                println!("{}", json!({ "next": "ask_operator", "text": text }));
                end = end.max(End::Look);
                continue;
            }
        };
        if journal.has(&hook.delivery) {
            println!("{}", answer(&hook, "done", "delivered before"));
            continue;
        }
        let (next, line) = handle(&client, &hook, &mut held).await;
        if next == Next::Done {
            journal.add(&hook.delivery)?;
        }
        // After the journal: what was answered as done stays done.
        println!("{line}");
        end = end.max(End::from(&next));
        if let Next::Halt(_) = next {
            return Ok(End::Look);
        }
    }
    Ok(end)
}

/// Works one hook off. `held` are the services of which an earlier hook is not done: what comes later must not overtake
/// it, or a server that was cancelled would be monitored in the end.
async fn handle(client: &Client, hook: &Hook, held: &mut BTreeSet<ServiceId>) -> (Next, Value) {
    if held.contains(&hook.service) {
        let text = "an earlier hook of this service has to be done first";
        let next = Next::RetryLater { after: None };
        return (next, answer(hook, "later", text));
    }
    let error = match work::work(client, hook).await {
        Ok(work::Reached::AsAsked(text)) => return (Next::Done, answer(hook, "done", &text)),
        Ok(work::Reached::Else(text)) => {
            let line = answer(hook, "ask_operator", &text);
            return (Next::AskOperator(text), line);
        }
        Err(error) => error,
    };
    let next = policy::next(&error);
    let mut line = match &next {
        Next::Done => answer(hook, "done", "it was so before"),
        Next::AskCustomer(sentence) => answer(hook, "ask_customer", sentence),
        Next::AskOperator(sentence) => answer(hook, "ask_operator", sentence),
        Next::Halt(sentence) => answer(hook, "halt", sentence),
        Next::RetryLater { .. } => answer(hook, "later", &error.to_string()),
        // Nothing but the same hook tells what became of the first one: every hook may be worked off again.
        Next::LookFirst => match work::look(client, hook).await {
            Ok(seen) => answer(hook, "later", &format!("{error}; {seen}")),
            Err(unseen) => answer(hook, "later", &format!("{error}; {unseen}")),
        },
    };
    line["may_have_acted"] = json!(error.delivery() == Delivery::Maybe);
    if let Next::RetryLater { after } = &next {
        line["after_seconds"] = json!(after);
    }
    if End::from(&next) == End::RunAgain {
        held.insert(hook.service);
    }
    (next, line)
}

fn answer(hook: &Hook, next: &str, text: &str) -> Value {
    json!({ "delivery": hook.delivery, "service": hook.service, "next": next, "text": text })
}

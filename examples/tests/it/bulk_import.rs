//! Imports: paced, resumed, and with mistakes named first.

use crate::support::{Account, Ran, account, run};
use http::StatusCode;
use secmon::Client;
use secmon::operations::ProvisionSubscription;
use secmon_mock::{CloseAt, Fault};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

/// A file of servers, and what is remembered beside it.
struct List {
    folder: TempDir,
}

impl List {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("servers.csv"), text).expect("written");
        Self { folder }
    }

    /// This many servers, twenty for each customer from 42 on: without a plan, a customer may have 25.
    fn of(servers: u32) -> Self {
        let row = |n: u32| format!("{},198.51.{}.{}\n", 42 + n / 20, n / 250, n % 250);
        let rows: String = (0..servers).map(row).collect();
        Self::new(&format!("customer,ip_address\n{rows}"))
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("servers.csv")
    }

    fn import(&self, account: &Account) -> Ran {
        let mut program = account.program(env!("CARGO_BIN_EXE_bulk-import"));
        run(program.arg(self.file()), "")
    }
}

fn statuses(account: &Account) -> Vec<Option<u16>> {
    let calls = account.calls("POST", "*/provision");
    calls.iter().map(|call| call.status).collect()
}

#[test]
fn an_import_of_150_servers_keeps_to_the_pace_and_is_never_refused() {
    let (account, list) = (account(), List::of(150));
    let ran = list.import(&account);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(
        ran.out.ends_with("150 done, 0 refused, 0 left\n"),
        "{}",
        ran.out
    );
    assert_eq!(statuses(&account), vec![Some(201); 150]);
    let again = list.import(&account);
    assert!(
        again
            .out
            .starts_with("150 servers, 150 of them done before\n"),
        "{}",
        again.out
    );
    assert_eq!((again.code, statuses(&account).len()), (Some(0), 150));
}

#[tokio::test]
async fn an_import_that_was_killed_goes_on_where_it_stopped() {
    let (account, list) = (account(), List::of(100));
    let mut program = account.program(env!("CARGO_BIN_EXE_bulk-import"));
    let program = program.arg(list.file()).stdout(Stdio::null());
    let mut child = program.spawn().expect("a process");
    let patience = Duration::from_secs(60);
    let came = account.wait_for("POST", "*/provision", 20, patience).await;
    came.expect("it began");
    child.kill().expect("killed");
    child.wait().expect("ended");
    let ran = list.import(&account);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    // Up to four were under way: those alone are sent again, and they give the servers that are there. The second run
    // cannot know what the first one took of the window, so it may be asked to wait.
    let sent = statuses(&account).into_iter();
    let sent = sent.filter(|status| *status != Some(429)).count();
    assert!((100..=104).contains(&sent), "{sent}");
    let made = statuses(&account)
        .into_iter()
        .filter(|status| *status == Some(201));
    assert_eq!(made.count(), 100);
}

#[tokio::test]
async fn a_full_plan_refuses_one_server_and_lost_answers_none() {
    let (account, list) = (account(), List::of(6));
    let key = secmon::ApiKey::new(account.api_key()).expect("a key");
    let client = Client::builder(account.url(), key)
        .build()
        .expect("a client");
    let service = 501u64.try_into().expect("an id");
    let plan = ProvisionSubscription::new("42".parse().expect("an id"), service, "port_monitoring");
    client
        .send(plan.plan_slug("starter"))
        .await
        .expect("a plan");
    account.fault(
        Fault::close(CloseAt::After)
            .on("POST", "*/provision")
            .times(2),
    );
    let ran = list.import(&account);
    assert!(
        ran.out.ends_with("5 done, 1 refused, 0 left\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("ask the customer: Your plan includes 5 servers"),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(1));
    // The customer bought more: the same command does what is left.
    let change = secmon::operations::ChangeSubscription::new(
        "42".parse().expect("an id"),
        service,
        "port_monitoring",
    );
    client
        .send(change.new_plan_slug("professional"))
        .await
        .expect("more");
    let ran = list.import(&account);
    assert!(
        ran.out.starts_with("6 servers, 5 of them done before\n"),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn what_keeps_one_server_keeps_all_and_another_run_does_the_rest() {
    let (account, list) = (account(), List::of(40));
    let down = Fault::status(StatusCode::SERVICE_UNAVAILABLE).on("POST", "*/provision");
    account.fault(down.after(10).times(0));
    let ran = list.import(&account);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.out.contains("stopped: try it again"), "{}", ran.out);
    assert!(
        ran.out.contains("10 done, 0 refused, 30 left"),
        "{}",
        ran.out
    );
    account.clear_faults();
    // So long that any `Retry-After` is over.
    account.advance(Duration::from_secs(600)).expect("later");
    let ran = list.import(&account);
    assert!(
        ran.out.ends_with("30 done, 0 refused, 0 left\n"),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn every_mistake_is_named_by_its_line_and_nothing_is_sent() {
    let account = account();
    let list = List::new(
        "customer,ip_address,hostname\n42,203.0.113.10,\n42,203.0.113.999,\n42,,\n42,203.0.113.10,web\n\
         ,203.0.113.11,\n43,2001:db8::1,\n43,2001:DB8:0::1,\n",
    );
    let ran = list.import(&account);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    for mistake in [
        "line 3: ip_address: ",
        "line 4: ip_address: An address or a hostname is required.",
        "line 5: 203.0.113.10 of customer 42 stands in line 2 already",
        "line 6: missing field `customer`",
        "line 8: 2001:db8::1 of customer 43 stands in line 7 already",
    ] {
        assert!(ran.err.contains(mistake), "{mistake}: {}", ran.err);
    }
    let list = List::new("custommer,ip_address\n42,203.0.113.10\n");
    let ran = list.import(&account);
    assert!(
        ran.err.contains("line 1: there is no column `custommer`"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("line 1: the column `customer` is missing"),
        "{}",
        ran.err
    );
    assert_eq!((ran.code, account.journal().len()), (Some(1), 0));
}

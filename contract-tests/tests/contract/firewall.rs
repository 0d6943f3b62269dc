//! Firewall ingest (assumed shapes).

use secmon::model::{FirewallFormat, PortRange, Protocol};
use secmon::operations::IngestFirewall;
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases};
use serde_json::Value;

cases! {
    anywhere:
        a_dump_becomes_rules_of_the_server,
        what_cannot_be_read_is_refused_by_name;
    steered:
}

const DUMP: &str = "*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -p tcp -m tcp --dport 52022 -j ACCEPT
-A INPUT -p tcp -m tcp --dport 52800:52810 -j ACCEPT
-A INPUT -p udp -m udp --dport 52053 -j ACCEPT
-A INPUT -p tcp -m tcp --dport 52023 -j DROP
COMMIT
";

/// The ports that the dump accepts.
const ACCEPTED: [(&str, Protocol); 3] = [
    ("52022", Protocol::Tcp),
    ("52800-52810", Protocol::Tcp),
    ("52053", Protocol::Udp),
];

/// Those of the dump's ports that no rule of the whole account covers already.
async fn not_yet_allowed(account: &Account) -> Vec<&'static str> {
    let rules = account.account_wide_rules().await;
    let allowed = |port: u16, protocol: &Protocol| {
        rules.iter().any(|rule| {
            (rule.port_start..=rule.port_end).contains(&port)
                && (rule.protocol == *protocol || rule.protocol == Protocol::Any)
                && rule.is_active == Some(true)
        })
    };
    let left = ACCEPTED.iter().filter(|(range, protocol)| {
        let range: PortRange = range.parse().expect("a range");
        let mut ports = range.start().get()..=range.end().get();
        !ports.all(|port| allowed(port, protocol))
    });
    left.map(|(range, _)| *range).collect()
}

async fn a_dump_becomes_rules_of_the_server() {
    let account = Account::new().await;
    let expected = not_yet_allowed(&account).await;
    let customer = account.customer();
    let server = customer.provisioned("203.0.113.90").await;
    let dump = || IngestFirewall::new(customer.id, server, DUMP);
    let read = account
        .client
        .rules()
        .ingest_firewall(dump().format(FirewallFormat::Iptables))
        .await
        .expect("read");
    let raw: Value = serde_json::from_slice(read.body()).expect("JSON");
    assert_keys(
        &raw["data"],
        &["format", "parsed_rules", "suggested", "skipped"],
    );
    assert_eq!(read.data.parsed_rules, Some(3));
    let suggested = read.data.suggested.as_ref().expect("the rules");
    let ports: Vec<String> = suggested
        .iter()
        .filter_map(|rule| rule.ports().map(|ports| ports.to_string()))
        .collect();
    assert_eq!(ports, expected);
    assert!(
        suggested
            .iter()
            .all(|rule| rule.auto_suggested == Some(true) && rule.endpoint_id == Some(server))
    );
    let again = account
        .client
        .rules()
        .ingest_firewall(dump())
        .await
        .expect("read")
        .into_data();
    assert_eq!(again.format, Some(FirewallFormat::Iptables));
    assert_eq!(again.suggested, Some(Vec::new()));
}

async fn what_cannot_be_read_is_refused_by_name() {
    let account = Account::new().await;
    let customer = account.customer();
    let server = customer.provisioned("203.0.113.91").await;
    let poem = IngestFirewall::new(
        customer.id,
        server,
        "Shall I compare thee to a summer's day?",
    );
    let error = assert_api_error(
        account.client.rules().ingest_firewall(poem).await,
        422,
        None,
    );
    assert_eq!(
        error
            .field_errors()
            .map(|errors| errors.get("content").len()),
        Some(1)
    );
}

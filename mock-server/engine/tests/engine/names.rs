//! The words of the API and the values they stand for, read and written.

use std::fmt::Debug;

use secmon_engine::{
    Category, ClientId, DesiredStatus, DomainAlertKind, DomainAlertStatus, DomainSeverity,
    FirewallFormat, LeakDataset, PortAlertStatus, Progress, RuleProtocol, RuleStatus, Scenario,
    ScopeFilter, ServiceId, Severity, SubscriptionStatus,
};
use serde::Serialize;

/// Each value of a type is read from its own word and from no other.
fn words<T: Copy + PartialEq + Debug>(
    read: impl Fn(&str) -> Option<T>,
    pairs: impl IntoIterator<Item = (&'static str, T)>,
) {
    for (word, value) in pairs {
        assert_eq!(read(word), Some(value), "{word}");
        let others = [
            word.to_uppercase(),
            format!("{word} "),
            format!(" {word}"),
            word[1..].to_owned(),
        ];
        for other in others.iter().filter(|other| *other != word) {
            assert_eq!(read(other), None, "{other}");
        }
    }
    assert_eq!(read("unheard"), None);
}

/// The same, and each value is written as the word it is read from.
fn words_both_ways<T: Copy + PartialEq + Debug + Serialize, const N: usize>(
    read: impl Fn(&str) -> Option<T>,
    pairs: [(&'static str, T); N],
) {
    for (word, value) in pairs {
        assert_eq!(serde_json::to_value(value).expect("json"), word);
    }
    words(read, pairs);
}

#[test]
fn every_filter_word_is_read_as_its_value_and_nothing_else_is() {
    use DesiredStatus::{Active, Paused};
    words(
        DesiredStatus::from_name,
        [("active", Active), ("paused", Paused)],
    );
    words(
        RuleStatus::from_name,
        [
            ("active", RuleStatus::Active),
            ("expired", RuleStatus::Expired),
        ],
    );
    words(
        ScopeFilter::from_name,
        [
            ("global", ScopeFilter::Global),
            ("endpoint", ScopeFilter::Endpoint),
        ],
    );
}

#[test]
fn every_word_about_alerts_is_read_as_it_is_written() {
    words_both_ways(
        PortAlertStatus::from_name,
        [
            ("open", PortAlertStatus::Open),
            ("resolved", PortAlertStatus::Resolved),
        ],
    );
    words_both_ways(
        Severity::from_name,
        [
            ("low", Severity::Low),
            ("medium", Severity::Medium),
            ("high", Severity::High),
            ("critical", Severity::Critical),
        ],
    );
    words_both_ways(
        DomainAlertKind::from_name,
        [
            ("credential_leak", DomainAlertKind::CredentialLeak),
            ("dark_web_mention", DomainAlertKind::DarkWebMention),
        ],
    );
    words_both_ways(
        DomainSeverity::from_name,
        [
            ("critical", DomainSeverity::Critical),
            ("high", DomainSeverity::High),
            ("medium", DomainSeverity::Medium),
        ],
    );
    words_both_ways(
        DomainAlertStatus::from_name,
        [
            ("open", DomainAlertStatus::Open),
            ("acknowledged", DomainAlertStatus::Acknowledged),
            ("resolved", DomainAlertStatus::Resolved),
        ],
    );
}

#[test]
fn every_word_about_the_world_and_the_mode_is_read_as_it_is_written() {
    words_both_ways(
        Scenario::from_name,
        [
            ("clean", Scenario::Clean),
            ("warnings", Scenario::Warnings),
            ("critical", Scenario::Critical),
        ],
    );
    words_both_ways(
        Category::from_name,
        [
            ("employees", Category::Employees),
            ("customers", Category::Customers),
            ("third_parties", Category::ThirdParties),
        ],
    );
    words_both_ways(
        LeakDataset::from_name,
        [
            ("configured", LeakDataset::Configured),
            ("unconfigured", LeakDataset::Unconfigured),
            ("unreachable", LeakDataset::Unreachable),
        ],
    );
    words_both_ways(
        Progress::from_name,
        [
            ("timed", Progress::Timed),
            ("immediate", Progress::Immediate),
            ("manual", Progress::Manual),
        ],
    );
}

#[test]
fn every_word_about_services_rules_and_dumps_is_read_as_it_is_written() {
    words_both_ways(
        SubscriptionStatus::from_name,
        [
            ("active", SubscriptionStatus::Active),
            ("suspended", SubscriptionStatus::Suspended),
            ("cancelled", SubscriptionStatus::Cancelled),
        ],
    );
    words_both_ways(
        FirewallFormat::from_name,
        [
            ("iptables", FirewallFormat::Iptables),
            ("nftables", FirewallFormat::Nftables),
            ("ufw", FirewallFormat::Ufw),
            ("firewalld", FirewallFormat::Firewalld),
        ],
    );
    words_both_ways(
        RuleProtocol::parse,
        [
            ("tcp", RuleProtocol::Tcp),
            ("udp", RuleProtocol::Udp),
            ("*", RuleProtocol::Both),
        ],
    );
}

#[test]
fn numbers_of_customers_and_services_are_what_was_given_and_begin_at_1() {
    for number in [1, 2, 42, i64::MAX] {
        let client = ClientId::new(number).expect("a customer number");
        let service = ServiceId::new(number).expect("a service number");
        let numbers = [client.get(), service.get()].map(u64::cast_signed);
        assert_eq!(numbers, [number, number]);
        let text = number.to_string();
        assert_eq!([client.to_string(), service.to_string()], [&*text, &*text]);
    }
    for number in [0, -1, i64::MIN] {
        assert_eq!(
            (ClientId::new(number), ServiceId::new(number)),
            (None, None)
        );
    }
}

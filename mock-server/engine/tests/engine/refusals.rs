//! What a refusal says: the API gives it as `message`.

use std::collections::{BTreeMap, BTreeSet};

use secmon_engine::{Capacity, Refusal};

const FULL: Capacity = Capacity {
    limit: 25,
    current_usage: 31,
};

/// Every refusal, with the words that its sentence must have.
fn refusals() -> Vec<(Refusal, &'static [&'static str])> {
    vec![
        (Refusal::EndpointNotFound, &["Endpoint not found"]),
        (Refusal::EndpointNotActive, &["endpoint", "resume"]),
        (
            Refusal::EndpointLimitExceeded(FULL),
            &["25 endpoints", "31"],
        ),
        (
            Refusal::DnsResolutionFailed("a.invalid".to_owned()),
            &["hostname a.invalid"],
        ),
        (
            Refusal::ScanCooldown {
                retry_after_seconds: 17,
            },
            &["17 seconds"],
        ),
        (Refusal::AccessDenied, &["Access denied"]),
        (Refusal::RuleNotFound, &["rule not found"]),
        (Refusal::PortAlertNotFound, &["Alert not found"]),
        (Refusal::UserNotFound, &["portal account", "provision"]),
        (Refusal::DomainNotFound, &["Domain not found"]),
        (Refusal::DomainNotActive, &["domain", "resume"]),
        (
            Refusal::DomainLimitExceeded(FULL),
            &["25 domain slots", "31"],
        ),
        (Refusal::DomainAlreadyExists, &["already monitors"]),
        (Refusal::DomainAlertNotFound, &["Alert", "domain"]),
        (Refusal::AlertAlreadyResolved, &["already resolved"]),
        (Refusal::AlertNotAcknowledged, &["must be acknowledged"]),
        (Refusal::ProductNotFound, &["product"]),
        (Refusal::BillingClientNotFound, &["customer", "service"]),
        (Refusal::SubscriptionNotFound, &["subscription", "product"]),
        (Refusal::SubscriptionNotChangeable, &["cancelled", "revive"]),
        (
            Refusal::DowngradeUsageExceeded(FULL),
            &["31 are in use", "limit is 25"],
        ),
        (Refusal::Invalid(BTreeMap::new()), &["data was invalid"]),
    ]
}

#[test]
fn every_refusal_has_a_sentence_of_its_own_with_its_figures() {
    let refusals = refusals();
    let sentences: BTreeSet<String> = refusals
        .iter()
        .map(|(refusal, _)| refusal.to_string())
        .collect();
    assert_eq!(sentences.len(), refusals.len());
    for (refusal, words) in refusals {
        let sentence = refusal.to_string();
        for word in words {
            assert!(sentence.contains(word), "{word} is not in: {sentence}");
        }
        assert!(sentence.ends_with('.') || refusal == Refusal::AccessDenied);
    }
}

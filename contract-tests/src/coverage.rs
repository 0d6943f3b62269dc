//! Which test shows which outcome of which operation.

/// An outcome that the specification (or, where it is silent, the project's documented choice) gives an operation,
/// and the test that causes it.
#[derive(Debug, Clone, Copy)]
pub struct Covered {
    /// The operation's name in [`secmon::OPERATIONS`].
    pub operation: &'static str,
    /// `success`, a code, or a status where the answer has no code of its own.
    pub outcome: &'static str,
    /// File and function, as in `servers::a_server_goes_through_its_life`.
    pub test: &'static str,
}

const fn row(operation: &'static str, outcome: &'static str, test: &'static str) -> Covered {
    Covered {
        operation,
        outcome,
        test,
    }
}

/// What every authenticated operation answers, whatever it does: outcome and test.
pub const EVERYWHERE: &[(&str, &str)] = &[
    (
        "401",
        "health_and_access::a_wrong_key_is_refused_everywhere_and_learns_nothing",
    ),
    (
        "TENANT_NOT_FOUND",
        "health_and_access::a_key_without_an_account_is_tenant_not_found",
    ),
    (
        "ACCOUNT_SUSPENDED",
        "health_and_access::a_suspended_account_is_refused_everywhere_but_in_health",
    ),
    (
        "429",
        "health_and_access::a_full_window_is_a_429_with_the_wait",
    ),
];

/// The outcomes that belong to single operations.
#[rustfmt::skip]
pub const COVERAGE: &[Covered] = &[
    row("get_health", "success", "health_and_access::health_needs_no_key"),

    row("provision_endpoint", "success", "servers::a_server_goes_through_its_life"),
    row("provision_endpoint", "200 with note", "servers::provisioning_twice_finds_the_same_server"),
    row("provision_endpoint", "TENANT_MISMATCH", "health_and_access::a_foreign_portal_domain_is_refused_in_provisioning_alone"),
    row("provision_endpoint", "ENDPOINT_LIMIT_EXCEEDED", "servers::a_server_beyond_the_limit_is_refused_with_limit_and_usage"),
    row("provision_endpoint", "DNS_RESOLUTION_FAILED", "servers::a_hostname_alone_is_resolved_or_refused"),
    row("provision_endpoint", "422", "servers::all_bad_fields_come_back_at_once"),
    row("suspend_endpoint", "success", "servers::a_server_goes_through_its_life"),
    row("suspend_endpoint", "200 with note", "servers::repeating_a_transition_succeeds_with_a_note"),
    row("suspend_endpoint", "ENDPOINT_NOT_FOUND", "servers::an_unknown_server_is_endpoint_not_found"),
    row("suspend_endpoint", "422", "servers::all_bad_fields_come_back_at_once"),
    row("resume_endpoint", "success", "servers::a_server_goes_through_its_life"),
    row("resume_endpoint", "200 with note", "servers::repeating_a_transition_succeeds_with_a_note"),
    row("resume_endpoint", "ENDPOINT_NOT_FOUND", "servers::an_unknown_server_is_endpoint_not_found"),
    row("resume_endpoint", "422", "servers::all_bad_fields_come_back_at_once"),
    row("terminate_endpoint", "success", "servers::a_server_goes_through_its_life"),
    row("terminate_endpoint", "200 with note", "servers::repeating_a_transition_succeeds_with_a_note"),
    row("terminate_endpoint", "ENDPOINT_NOT_FOUND", "servers::an_unknown_server_is_endpoint_not_found"),
    row("terminate_endpoint", "422", "servers::all_bad_fields_come_back_at_once"),
    row("scan_endpoint", "success", "servers::a_manual_scan_runs_to_its_end"),
    row("scan_endpoint", "ENDPOINT_NOT_FOUND", "servers::a_scan_of_another_customers_server_is_not_found"),
    row("scan_endpoint", "ENDPOINT_NOT_ACTIVE", "servers::a_scan_of_a_paused_or_terminated_server_is_refused"),
    row("scan_endpoint", "RATE_LIMITED", "servers::a_scan_in_the_cooldown_is_rate_limited_with_the_wait"),
    row("scan_endpoint", "SCAN_DISPATCH_FAILED", "servers::scan_failures_of_the_service_come_by_their_names"),
    row("scan_endpoint", "SCANNING_UNAVAILABLE", "servers::scan_failures_of_the_service_come_by_their_names"),
    row("scan_endpoint", "422", "servers::all_bad_fields_come_back_at_once"),

    row("list_endpoints", "success", "endpoints::a_list_comes_in_pages_and_by_state"),
    row("list_endpoints", "422", "endpoints::bad_fields_come_back_by_their_names"),
    row("create_endpoint", "success", "endpoints::an_endpoint_is_created_read_changed_and_deleted"),
    row("create_endpoint", "200 with note", "endpoints::adding_an_address_again_gives_the_same_endpoint"),
    row("create_endpoint", "ENDPOINT_LIMIT_EXCEEDED", "endpoints::the_limit_holds_and_names_limit_and_usage"),
    row("create_endpoint", "DNS_RESOLUTION_FAILED", "endpoints::a_name_that_does_not_resolve_is_refused"),
    row("create_endpoint", "422", "endpoints::bad_fields_come_back_by_their_names"),
    row("get_endpoint", "success", "endpoints::an_endpoint_is_created_read_changed_and_deleted"),
    row("get_endpoint", "403", "endpoints::another_customers_endpoint_is_access_denied"),
    row("get_endpoint", "404", "endpoints::an_unknown_endpoint_is_404_by_number"),
    row("get_endpoint_detail", "success", "endpoints::the_detail_shows_what_the_scans_found"),
    row("get_endpoint_detail", "403", "endpoints::another_customers_endpoint_is_access_denied"),
    row("get_endpoint_detail", "404", "endpoints::an_unknown_endpoint_is_404_by_number"),
    row("update_endpoint", "success", "endpoints::an_endpoint_is_created_read_changed_and_deleted"),
    row("update_endpoint", "403", "endpoints::another_customers_endpoint_is_access_denied"),
    row("update_endpoint", "404", "endpoints::an_unknown_endpoint_is_404_by_number"),
    row("update_endpoint", "422", "endpoints::bad_fields_come_back_by_their_names"),
    row("delete_endpoint", "success", "endpoints::an_endpoint_is_created_read_changed_and_deleted"),
    row("delete_endpoint", "403", "endpoints::another_customers_endpoint_is_access_denied"),
    row("delete_endpoint", "404", "endpoints::an_unknown_endpoint_is_404_by_number"),

    row("get_rule_summary", "success", "rules::the_summary_counts_the_rules_of_every_server"),
    row("get_rule_summary", "422", "rules::bad_fields_come_back_by_their_names"),
    row("list_rules", "success", "rules::a_list_is_filtered_by_server_scope_and_state"),
    row("create_rule", "success", "rules::a_rule_of_one_server_is_created_read_changed_and_deleted"),
    row("create_rule", "403", "rules::another_customers_rule_is_404_and_its_server_is_403"),
    row("create_rule", "422", "rules::bad_fields_come_back_by_their_names"),
    row("create_rule", "422 overlap", "rules::overlapping_rules_of_one_scope_are_refused"),
    row("get_rule", "success", "rules::a_rule_of_one_server_is_created_read_changed_and_deleted"),
    row("get_rule", "404", "rules::another_customers_rule_is_404_and_its_server_is_403"),
    row("update_rule", "success", "rules::a_rule_of_one_server_is_created_read_changed_and_deleted"),
    row("update_rule", "404", "rules::an_unknown_rule_is_404_by_number"),
    row("update_rule", "422 overlap", "rules::overlapping_rules_of_one_scope_are_refused"),
    row("delete_rule", "success", "rules::a_rule_of_one_server_is_created_read_changed_and_deleted"),
    row("delete_rule", "404", "rules::another_customers_rule_is_404_and_its_server_is_403"),

    row("list_port_alerts", "success", "port_alerts::a_list_is_filtered_and_comes_in_pages"),
    row("list_port_alerts", "422", "port_alerts::bad_parameters_come_back_by_their_names"),
    row("get_port_alert", "success", "port_alerts::an_open_port_raises_an_alert_that_closes_with_it"),
    row("get_port_alert", "404", "port_alerts::another_customers_alert_is_404"),
    row("resolve_port_alert", "success", "port_alerts::an_alert_is_resolved_once_and_comes_back_at_the_next_scan"),
    row("resolve_port_alert", "404", "port_alerts::another_customers_alert_is_404"),
];

//! A good answer of every operation, and how the operation is sent.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use secmon::model::*;
use secmon::operations::*;
use secmon::{Client, Envelope, Error, Operation, OperationInfo, Response};
use serde::Serialize;
use serde_json::{Value, json};

use super::Kind::{Any, Flag, Id, List, Money, Object, Text, Time, Word};
use super::findings;
use super::records::*;
use super::repeats;
use super::{Kind, Member, count, may, must, unread};

/// What came of a call: the result as JSON, and what `Debug` makes of the response around it.
pub struct Done {
    pub data: Value,
    pub note: Option<String>,
    pub shown: Vec<String>,
}

pub type Ended<'a> = Pin<Box<dyn Future<Output = Result<Done, Error>> + 'a>>;

/// One documented success of one operation.
pub struct Answer {
    pub operation: &'static OperationInfo,
    /// All its fields.
    pub request: Value,
    pub status: u16,
    /// The whole body; none with a 204.
    pub body: Option<Kind>,
    send: Box<dyn for<'a> Fn(&'a Client) -> Ended<'a>>,
}

impl Answer {
    /// Sends the operation with this client.
    pub fn send<'a>(&self, client: &'a Client) -> Ended<'a> {
        (self.send)(client)
    }

    /// The good answer as text; empty with a 204.
    pub fn text(&self) -> String {
        let body = self.body.as_ref();
        body.map(|body| body.value().to_string())
            .unwrap_or_default()
    }

    /// What the client makes of it: the `data` of an envelope, else the whole.
    pub fn result(&self) -> Value {
        let mut read = self.body.as_ref().map_or(Value::Null, Kind::read);
        match self.is_enveloped() {
            true => read["data"].take(),
            false => read,
        }
    }

    /// Whether the result stands in `data`.
    pub fn is_enveloped(&self) -> bool {
        matches!(
            self.operation.envelope,
            Envelope::Success | Envelope::SuccessOrUnavailable | Envelope::Resource
        )
    }
}

fn answer<O>(operation: O, status: u16, body: impl Into<Option<Kind>>) -> Answer
where
    O: Operation<Output: Serialize + Debug> + Clone + 'static,
{
    answer_shown(operation, status, body, |data| {
        serde_json::to_value(data).expect("a result is JSON")
    })
}

/// The same for a result that cannot be written as JSON.
fn answer_shown<O>(
    operation: O,
    status: u16,
    body: impl Into<Option<Kind>>,
    as_json: fn(&O::Output) -> Value,
) -> Answer
where
    O: Operation<Output: Debug> + Clone + 'static,
{
    let request = serde_json::to_value(&operation).expect("a request is JSON");
    let mut body = body.into();
    if let Some(body) = &mut body {
        repeats::mark(O::INFO, &request, body);
    }
    Answer {
        operation: O::INFO,
        request,
        status,
        body,
        send: Box::new(move |client| {
            let call = client
                .call(operation.clone())
                .with(|call| call.validation(false));
            Box::pin(async move { call.send().await.map(|response| done(&response, as_json)) })
        }),
    }
}

fn done<T: Debug>(response: &Response<T>, as_json: fn(&T) -> Value) -> Done {
    Done {
        data: as_json(&response.data),
        note: response.note().map(str::to_owned),
        shown: vec![format!("{response:?}"), format!("{response:#?}")],
    }
}

/// `{success: true, data, meta}`.
fn enveloped(data: Kind) -> Kind {
    Object(vec![may("success", Flag(true)), must("data", data), meta()])
}

/// The same with a status that says otherwise: the answer's own word makes it a result (F3).
fn enveloped_by_its_word(data: Kind) -> Kind {
    Object(vec![
        must("success", Flag(true)),
        must("data", data),
        meta(),
    ])
}

/// `{data, meta}`.
fn resource(data: Kind) -> Kind {
    Object(vec![must("data", data), meta()])
}

fn state_of(id: &'static str, status: &'static str) -> Vec<Member> {
    vec![must(id, Id(ID)), must("status", Word(status))]
}

fn noted(mut members: Vec<Member>) -> Kind {
    members.push(unread("note", Text("It was there already.")));
    enveloped(Object(members))
}

fn customer() -> CustomerId {
    CustomerId::try_from(42_u64).expect("a customer")
}

fn service() -> ServiceId {
    ServiceId::try_from(501_u64).expect("a service")
}

fn id<T: std::str::FromStr<Err = InvalidId>>() -> T {
    ID.parse().expect("an id")
}

/// Every documented success of every operation, in the order of the table.
pub fn all() -> Vec<Answer> {
    let mut all = vec![health()];
    all.extend(servers());
    all.extend(domains());
    all.extend(subscriptions());
    all.extend(prices());
    all.extend(findings());
    all.extend(rules());
    all.extend(endpoints());
    all.extend(assumed());
    all
}

fn health() -> Answer {
    let body = Object(vec![
        must("success", Flag(true)),
        must("status", Text("ok")),
        may("timestamp", Time(AT)),
        may("meta", Object(vec![may("version", Text("v1"))])),
    ]);
    answer(GetHealth::new(), 200, body)
}

fn servers() -> Vec<Answer> {
    let state = |status| enveloped(Object(state_of("endpoint_id", status)));
    let provision = || ProvisionEndpoint::new(customer()).ip_address("203.0.113.10");
    let scan = Object(vec![
        must("scan_id", Id(OTHER_ID)),
        must("status", Word("pending")),
        may("cooldown_seconds", count(300)),
    ]);
    vec![
        answer(provision(), 201, state("active")),
        answer(provision(), 200, noted(state_of("endpoint_id", "active"))),
        answer(SuspendEndpoint::new(id()), 200, state("paused")),
        answer(
            SuspendEndpoint::new(id()),
            200,
            noted(state_of("endpoint_id", "paused")),
        ),
        answer(ResumeEndpoint::new(id()), 200, state("active")),
        answer(TerminateEndpoint::new(id()), 200, state("terminated")),
        answer(ScanEndpoint::new(customer(), id()), 202, enveloped(scan)),
    ]
}

fn domains() -> Vec<Answer> {
    let named = |status| {
        let mut members = state_of("monitored_domain_id", status);
        members.push(may("domain", Text("shop.example.com")));
        members
    };
    let state = |status| enveloped(Object(state_of("monitored_domain_id", status)));
    let provision = || ProvisionDomain::new(customer(), "shop.example.com", service());
    let update = UpdateDomain::new(id(), "shop.example.com");
    let released = Object(vec![
        must("monitored_domain_id", Id(ID)),
        must("released", Flag(true)),
        may("slots_total", count(4)),
        may("slots_used", count(3)),
    ]);
    vec![
        answer(provision(), 201, enveloped(Object(named("active")))),
        answer(provision(), 200, noted(named("active"))),
        answer(SuspendDomain::new(id()), 200, state("paused")),
        answer(ResumeDomain::new(id()), 200, state("active")),
        answer(TerminateDomain::new(id()), 200, state("terminated")),
        answer(update, 200, enveloped(Object(named("active")))),
        answer(
            ReleaseDomain::new(customer(), service(), id()),
            200,
            enveloped(released),
        ),
    ]
}

fn subscriptions() -> Vec<Answer> {
    let product = "port_monitoring";
    let subscription = Object(vec![
        must("subscription_id", Id(ID)),
        must("product_slug", Word("port_monitoring")),
        may("plan_slug", Text("professional")),
        may("quantity", super::small(3)),
        must("status", Word("active")),
    ]);
    let state = |status| enveloped(Object(state_of("subscription_id", status)));
    let change = ChangeSubscription::new(customer(), service(), product).new_plan_slug("business");
    let changed = Object(vec![
        must("changed", Flag(true)),
        may("subscription_id", Id(ID)),
        may("plan_slug", Text("business")),
        may("direction", Word("upgrade")),
        may("previous_plan_slug", Text("professional")),
        may("quantity", super::small(1)),
        may("previous_quantity", super::small(2)),
        may("effective_at", Time(AT)),
    ]);
    let (customer, service) = (customer(), service());
    let provision =
        ProvisionSubscription::new(customer, service, product).plan_slug("professional");
    let suspend = SuspendSubscription::new(customer, service, product);
    let resume = ResumeSubscription::new(customer, service, product);
    let terminate = TerminateSubscription::new(customer, service, product);
    vec![
        answer(provision, 201, enveloped(subscription)),
        answer(suspend, 200, state("suspended")),
        answer(resume, 200, state("active")),
        answer(terminate, 200, state("cancelled")),
        answer(change, 200, enveloped(changed)),
        answer(sync(), 200, enveloped(synced(enforcement()))),
        answer(sync(), 200, enveloped(synced(Kind::Map(Vec::new())))),
    ]
}

fn sync() -> SyncServices {
    let suspended = SubscriptionStatus::Suspended;
    let report = ServiceReport::new(customer(), service(), "domain_monitoring", suspended);
    let other = CustomerId::try_from(43_u64).expect("a customer");
    let unknown = ServiceId::try_from(502_u64).expect("a service");
    let unknown = ServiceReport::new(other, unknown, "endpoint", SubscriptionStatus::Active);
    SyncServices::new(vec![report, unknown])
}

fn synced(enforcement: Kind) -> Kind {
    let unknown = json!({"service_id": "502", "client_id": 43, "product_slug": "endpoint"});
    Object(vec![
        may("changed", count(2)),
        may("unchanged", count(7)),
        may("unknown_services", List(vec![Any(unknown)])),
        may("enforcement", enforcement),
    ])
}

fn prices() -> Vec<Answer> {
    let set = SetPrice::new(
        "port_monitoring",
        "19.99".parse().expect("an amount"),
        "EUR",
    );
    let price = Object(vec![
        must("product_slug", Word("port_monitoring")),
        may("plan_slug", Text("professional")),
        must("price", Money(19.99)),
        must("currency", Text("EUR")),
    ]);
    let removed = Object(vec![must("deleted", Flag(true))]);
    vec![
        answer(set, 200, enveloped(price)),
        answer(RemovePrice::new("port_monitoring"), 200, enveloped(removed)),
    ]
}

fn rules() -> Vec<Answer> {
    let counts = || {
        vec![
            must("endpoints", List(vec![rule_count()])),
            may("global_count", count(4)),
        ]
    };
    // Both members stand at the top as well, for older readers.
    let mut summary = vec![must("data", Object(counts())), meta()];
    summary.extend(
        counts()
            .into_iter()
            .map(|member| unread(member.name, member.kind)),
    );
    let ports: PortRange = "8000-8100".parse().expect("a range");
    let why = "Behind the load balancer.";
    let server = OTHER_ID.parse().expect("an id");
    let create = || CreateRule::for_endpoint(server, ports, Protocol::Tcp, why);
    let of_all = || CreateRule::account_wide(ports, Protocol::Tcp, why);
    let of_the_server = || resource(endpoint_rule()).told("data/endpoint_id");
    let update = || UpdateRule::new(id(), ports, Protocol::Tcp, why);
    vec![
        answer(GetRuleSummary::new(customer()), 200, Object(summary)),
        answer(
            ListRules::account_wide().page(2),
            200,
            linked(endpoint_rule(), Vec::new()),
        ),
        answer(
            ListRules::new(customer()).endpoint_id(server).page(2),
            200,
            linked(endpoint_rule(), Vec::new()),
        ),
        answer(create(), 201, of_the_server()),
        answer(
            create().billing_customer_id(customer()),
            201,
            of_the_server(),
        ),
        answer(of_all(), 201, resource(global_rule())),
        answer(GetRule::account_wide(id()), 200, resource(endpoint_rule())),
        answer(
            GetRule::new(customer(), id()),
            200,
            resource(endpoint_rule()),
        ),
        answer(update(), 200, resource(endpoint_rule())),
        answer(update().endpoint_id(server), 200, of_the_server()),
        answer(DeleteRule::account_wide(id()), 204, None),
    ]
}

fn rule_count() -> Kind {
    Object(vec![
        must("endpoint_id", Id(ID)),
        may("ip_address", Text("203.0.113.10")),
        may("nickname", Text("web server one")),
        may("rule_count", count(6)),
    ])
}

fn endpoints() -> Vec<Answer> {
    let limits = vec![
        may("endpoint_limit", count(25)),
        may("current_endpoint_count", count(3)),
        may(
            "status_counts",
            Kind::Map(vec![("active", count(2)), ("paused", count(1))]),
        ),
    ];
    let create = || CreateEndpoint::new(customer(), "203.0.113.10");
    let mut found = endpoint_members();
    found.push(unread("note", Text("It was there already.")));
    let detail = Object(vec![
        must("data", endpoint()),
        may("latest_scan", latest_scan()),
        must("alerts", List(vec![alert_of_the_server()])),
        must("whitelisted_ports", List(vec![Text("443:tcp")])),
        must("new_ports", List(vec![super::port(3389)])),
        must("closed_ports", List(vec![super::port(8080)])),
    ]);
    vec![
        answer(
            ListEndpoints::new(customer()).page(2),
            200,
            linked(endpoint(), limits),
        ),
        answer(create(), 201, resource(endpoint())),
        answer(create(), 200, resource(Object(found))),
        answer(GetEndpoint::account_wide(id()), 200, resource(endpoint())),
        answer(
            GetEndpoint::new(customer(), id()),
            200,
            resource(endpoint()),
        ),
        answer(GetEndpointDetail::new(customer(), id()), 200, detail),
        answer(
            UpdateEndpoint::new(customer(), id()).status(EndpointStatus::Active),
            200,
            resource(endpoint()),
        ),
        answer(DeleteEndpoint::account_wide(id()), 204, None),
    ]
}

/// Port alerts, sign-in, sandbox, firewall: shapes that the specification leaves open (E6, E12 to E14).
fn assumed() -> Vec<Answer> {
    let alerts = enveloped(counted("alerts", port_alert()));
    let found = Object(vec![must("alert", port_alert())]);
    let mut resolved = state_of("id", "resolved");
    resolved.push(may("resolved_at", Time(AT)));
    let resolved = Object(vec![
        may("message", Text("The alert is resolved.")),
        must("alert", Object(resolved)),
    ]);
    let scenarios = Object(vec![
        must("scenarios", List(vec![Word("clean"), Word("critical")])),
        may("current", Word("warnings")),
    ]);
    let chosen = Object(vec![
        must("scenario", Word("critical")),
        may("endpoint_id", Id(ID)),
        may("monitored_domain_id", Id(OTHER_ID)),
    ]);
    let skipped = Object(vec![
        must("line", count(7)),
        must("reason", Text("It is a comment.")),
    ]);
    let ingested = Object(vec![
        may("format", Word("iptables")),
        may("parsed_rules", count(2)),
        may("suggested", List(vec![endpoint_rule()])),
        may("skipped", List(vec![skipped])),
    ]);
    let server = OTHER_ID.parse().expect("an id");
    let other_domain = OTHER_ID.parse().expect("an id");
    let ingest = IngestFirewall::new(customer(), server, "-A INPUT -p tcp --dport 22 -j ACCEPT");
    vec![
        answer(ListPortAlerts::new(customer()), 200, alerts.clone()),
        answer(
            ListPortAlerts::new(customer()).endpoint_id(server),
            200,
            alerts,
        ),
        answer(GetPortAlert::new(customer(), id()), 200, enveloped(found)),
        answer(
            ResolvePortAlert::new(customer(), id()),
            200,
            enveloped(resolved),
        ),
        sso_token(),
        answer(ListScenarios::new(), 200, enveloped(scenarios)),
        answer(
            SetScenario::new(Scenario::Critical),
            200,
            enveloped(chosen.clone()),
        ),
        answer(
            SetScenario::new(Scenario::Critical).endpoint_id(id()),
            200,
            enveloped(chosen.clone()).told("data/endpoint_id"),
        ),
        answer(
            SetScenario::new(Scenario::Critical).monitored_domain_id(other_domain),
            200,
            enveloped(chosen).told("data/monitored_domain_id"),
        ),
        answer(ingest, 200, enveloped(ingested)),
    ]
}

fn sso_token() -> Answer {
    let token = Object(vec![
        must("token", Text("tok_9f8e-7d6c-5b4a-3210")),
        may("expires_at", Time(LATER)),
    ]);
    answer_shown(
        CreateSsoToken::new(customer()),
        200,
        enveloped(token),
        |token| json!({"token": token.expose_secret(), "expires_at": token.expires_at}),
    )
}

fn findings() -> Vec<Answer> {
    let (customer, domain, alert) = (customer(), id(), OTHER_ID.parse().expect("an id"));
    let acknowledge = AcknowledgeDomainAlert::new(customer, domain, alert);
    let resolve = ResolveDomainAlert::new(customer, domain, alert);
    let overview = || ListDomains::new(customer);
    let leaks = || ListCredentialLeaks::new(customer, domain);
    let acknowledged = transition("acknowledged", "acknowledged_at");
    vec![
        answer(overview(), 200, enveloped(findings::overview())),
        answer(overview(), 200, enveloped(findings::product_instead())),
        answer(
            GetDomainSummary::new(customer, domain),
            200,
            enveloped(domain_summary()),
        ),
        answer(
            ListDomainAlerts::new(customer, domain),
            200,
            enveloped(findings::alerts()),
        ),
        answer(
            GetDomainAlert::new(customer, domain, alert),
            200,
            enveloped(findings::alert()),
        ),
        answer(
            ListMentions::new(customer, domain),
            200,
            enveloped(counted("mentions", mention())),
        ),
        answer(leaks(), 200, enveloped(findings::leaks())),
        answer(leaks(), 503, enveloped_by_its_word(findings::leaks_down())),
        answer(
            GetScanHistory::new(customer, domain),
            200,
            enveloped(findings::history()),
        ),
        answer(acknowledge, 200, acknowledged),
        answer(resolve, 200, transition("resolved", "resolved_at")),
    ]
}

fn transition(status: &'static str, since: &'static str) -> Kind {
    let alert = Object(vec![
        must("id", Id(OTHER_ID)),
        must("status", Word(status)),
        may(since, Time(AT)),
    ]);
    let data = Object(vec![
        may("message", Text("It is done.")),
        must("alert", alert),
    ]);
    enveloped(data)
}

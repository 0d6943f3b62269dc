//! A server or a domain to provision, read from a command line or from a row of a file; both are checked the same way.

use crate::error::{CliError, field_problems};
use crate::session::settings::parse_customer;
use crate::values::domain_names;
use secmon::model::{Address, CustomerId, EndpointId, Money, PlanSlug, ProductSlug, ServiceId};
use secmon::operations::{ProvisionDomain, ProvisionEndpoint, UpdateEndpoint};
use secmon::{FieldErrors, Operation};
use std::net::{IpAddr, SocketAddr};
use uuid::Uuid;

/// What fills a gap in a row.
#[derive(Debug, Clone, Copy)]
pub struct Defaults<'a> {
    /// The customer of a row that names none.
    pub customer: Option<CustomerId>,
    /// What a bare host name is.
    pub bare_names: BareNames,
    /// The billing service of a domain whose row names none.
    pub service: Option<&'a str>,
}

/// What a bare host name is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareNames {
    /// A server, because somebody said so.
    Servers,
    /// A domain, because somebody said so.
    Domains,
    /// Nothing: it could be a server or a domain.
    Unclear,
}

/// The cells of a row, or the options of a command line, as text; an empty one is as if left out.
#[derive(Debug, Default)]
pub struct RowFields {
    /// Address or host name.
    pub target: String,
    /// The customer's number.
    pub customer: String,
    /// Label beside the address.
    pub hostname: String,
    /// Name to show.
    pub nickname: String,
    /// Number of the billing service.
    pub service_id: String,
    /// Product.
    pub product_slug: String,
    /// Plan.
    pub plan_slug: String,
    /// Monthly recurring revenue.
    pub mrr: String,
    /// Name of a new customer.
    pub client_name: String,
    /// E-mail address of a new customer.
    pub client_email: String,
}

impl RowFields {
    /// Sets a field by its column's name.
    pub fn set(&mut self, field: &str, text: &str) {
        let place = match field {
            "target" => &mut self.target,
            "customer" => &mut self.customer,
            "hostname" => &mut self.hostname,
            "nickname" => &mut self.nickname,
            "service_id" => &mut self.service_id,
            "product_slug" => &mut self.product_slug,
            "plan_slug" => &mut self.plan_slug,
            "mrr" => &mut self.mrr,
            "client_name" => &mut self.client_name,
            "client_email" => &mut self.client_email,
            _ => return,
        };
        text.clone_into(place);
    }
}

/// What is to be provisioned.
#[derive(Debug, Clone)]
pub enum Target {
    /// A server.
    Server(Box<NewServer>),
    /// A domain.
    Domain(Box<ProvisionDomain>),
}

/// A server to provision.
#[derive(Debug, Clone)]
pub struct NewServer {
    /// As it was typed.
    pub name: String,
    /// Its address, when it was named by one.
    pub address: Option<IpAddr>,
    /// The call.
    pub request: ProvisionEndpoint,
    /// The name to show, given by a second call.
    pub nickname: Option<String>,
}

impl Target {
    /// Reads and checks all fields; the error names every field that is wrong.
    pub fn from_fields(fields: &RowFields, defaults: &Defaults<'_>) -> Result<Self, CliError> {
        let mut problems = Vec::new();
        let customer = keep(customer(fields, defaults), &mut problems);
        let subject = keep(
            Subject::parse(&fields.target, defaults.bare_names),
            &mut problems,
        );
        let service_id = match (&subject, defaults.service) {
            (Some(Subject::Domain(_)), Some(service)) if fields.service_id.is_empty() => service,
            _ => &fields.service_id,
        };
        let service = keep(
            number(service_id, "service_id", "a number, 1 or more"),
            &mut problems,
        );
        let mrr = keep(
            number::<Money>(
                &fields.mrr,
                "mrr",
                "an amount such as 9.90 (or 9,90 in a file with semicolons)",
            ),
            &mut problems,
        );
        let (Some(customer), Some(subject), Some(service), Some(mrr)) =
            (customer, subject, service, mrr)
        else {
            return Err(CliError::usage(problems.join("; ")));
        };
        let mut server = ProvisionEndpoint::new(customer);
        server.service_id = service;
        server.mrr = mrr;
        match subject {
            Subject::Domain(name) => Self::domain(fields, customer, service, name),
            Subject::Server(address) => Self::server(fields, server, Some(address)),
            Subject::Host(name) => Self::server(fields, server.hostname(name), None),
        }
    }

    fn server(
        fields: &RowFields,
        mut request: ProvisionEndpoint,
        address: Option<IpAddr>,
    ) -> Result<Self, CliError> {
        request.ip_address = address.map(Address::from);
        request.hostname = given(&fields.hostname).or(request.hostname);
        request.product_slug = given(&fields.product_slug).map(ProductSlug::from);
        request.plan_slug = given(&fields.plan_slug).map(PlanSlug::from);
        request.client_name = given(&fields.client_name);
        request.client_email = given(&fields.client_email);
        let server = NewServer {
            name: fields.target.clone(),
            address,
            request,
            nickname: given(&fields.nickname),
        };
        let mut problems = FieldErrors::default();
        server.request.validate(&mut problems);
        if let Some(rename) = server.rename(EndpointId::from(Uuid::nil())) {
            rename.validate(&mut problems);
        }
        refuse(&problems)?;
        Ok(Self::Server(Box::new(server)))
    }

    fn domain(
        fields: &RowFields,
        customer: CustomerId,
        service: Option<ServiceId>,
        name: String,
    ) -> Result<Self, CliError> {
        let of_servers = [
            ("hostname", &fields.hostname),
            ("nickname", &fields.nickname),
            ("product_slug", &fields.product_slug),
            ("plan_slug", &fields.plan_slug),
            ("mrr", &fields.mrr),
        ];
        if let Some((field, _)) = of_servers.iter().find(|(_, text)| !text.is_empty()) {
            return Err(CliError::usage(format!(
                "{field} is for servers only, and {name:?} is a domain: leave the field empty"
            )));
        }
        let service = service.ok_or_else(|| {
            CliError::usage(format!("service_id: the domain {name:?} needs the service that pays for its slot: fill in the column"))
        })?;
        let mut request = ProvisionDomain::new(customer, name, service);
        request.client_name = given(&fields.client_name);
        request.client_email = given(&fields.client_email);
        let mut problems = FieldErrors::default();
        request.validate(&mut problems);
        refuse(&problems)?;
        Ok(Self::Domain(Box::new(request)))
    }

    /// As it was typed.
    pub fn name(&self) -> &str {
        match self {
            Self::Server(server) => &server.name,
            Self::Domain(domain) => &domain.domain,
        }
    }

    /// The customer it is for.
    pub fn customer(&self) -> CustomerId {
        match self {
            Self::Server(server) => server.request.client_id,
            Self::Domain(domain) => domain.client_id,
        }
    }

    /// Its name, address and customer, where it is a server that was named by an address.
    pub fn place(&self) -> Option<(&str, IpAddr, CustomerId)> {
        match self {
            Self::Server(server) => Some((&server.name, server.address?, server.request.client_id)),
            Self::Domain(_) => None,
        }
    }

    /// Its name and customer, where it is a domain.
    pub fn watched(&self) -> Option<(String, CustomerId)> {
        match self {
            Self::Server(_) => None,
            Self::Domain(request) => {
                Some((domain_names::normalized(&request.domain), request.client_id))
            }
        }
    }

    /// What tells it from the customer's other servers and domains, however it was typed.
    pub fn identity(&self) -> String {
        match self {
            Self::Server(server) => {
                let request = &server.request;
                let address = request.ip_address.as_ref().map(Address::as_str);
                let named = address.or(request.hostname.as_deref());
                format!("server {}", named.unwrap_or(&server.name).to_lowercase())
            }
            Self::Domain(domain) => {
                let name = domain.domain.to_lowercase();
                let name = name
                    .split_once("://")
                    .map_or(name.as_str(), |(_, rest)| rest);
                let name = name.split('/').next().unwrap_or_default();
                let name = name.trim_end_matches('.');
                let one_spelling = idna::domain_to_ascii(name);
                format!("domain {}", one_spelling.as_deref().unwrap_or(name))
            }
        }
    }
}

impl NewServer {
    /// The second call, for the server that the first one made.
    pub fn rename(&self, id: EndpointId) -> Option<UpdateEndpoint> {
        let nickname = self.nickname.clone()?;
        Some(UpdateEndpoint::new(self.request.client_id, id).nickname(nickname))
    }
}

/// The address or host name of a server that the service is to look up itself, judged as for `provision`.
pub fn server_name(text: &str) -> Result<String, CliError> {
    match Subject::parse(text.trim(), BareNames::Servers).map_err(CliError::usage)? {
        Subject::Server(address) => Ok(address.to_string()),
        Subject::Host(name) | Subject::Domain(name) => Ok(name),
    }
}

/// Whether a target is a domain.
pub fn is_domain(text: &str, bare_names: BareNames) -> bool {
    matches!(Subject::parse(text, bare_names), Ok(Subject::Domain(_)))
}

/// Whether a target is a domain only if somebody says so.
pub fn is_bare_name(text: &str) -> bool {
    is_domain(text, BareNames::Domains) && !is_domain(text, BareNames::Unclear)
}

/// Whether a text could only be meant as an IP address: its last label is digits, or it has the colons of IPv6.
pub fn is_broken_address(text: &str) -> bool {
    let host = text.split(['/', '%']).next().unwrap_or_default();
    let last = host.rsplit('.').next().unwrap_or_default();
    let digits =
        host.contains('.') && !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let colons = host.matches(':').count() > 1 && !text.contains("://");
    digits || colons
}

/// What a target names.
enum Subject {
    Server(IpAddr),
    Host(String),
    Domain(String),
}

impl Subject {
    fn parse(text: &str, bare_names: BareNames) -> Result<Self, String> {
        if text.is_empty() {
            return Err("target is empty: give an IP address".to_owned());
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::Server(address.to_canonical()));
        }
        if let Some(advice) = around_address(text) {
            return Err(format!("target: {text:?} {advice}"));
        }
        if text.contains(char::is_whitespace) {
            return Err(format!("target: {text:?} has a space in it: take it out"));
        }
        if text.parse::<SocketAddr>().is_ok() {
            return Err(format!(
                "target: {text:?} has a port in it: give the address alone"
            ));
        }
        if is_broken_address(text) {
            return Err(format!("target: {text:?} is not an IP address"));
        }
        // The root of the names needs no dot.
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_url = text.contains("://");
        if !is_url
            && let Some((_, port)) = name.rsplit_once(':')
            && port.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Err(format!(
                "target: {text:?} has a port in it: give the name alone"
            ));
        }
        if !is_url && !name.contains('.') {
            return Err(format!(
                "target: {text:?} is neither an IP address nor a full host name such as web1.example.com"
            ));
        }
        if !is_url && !is_host_name(name) {
            return Err(format!(
                "target: {text:?} is not a name that a host can have"
            ));
        }
        match bare_names {
            BareNames::Servers if is_url => Err(format!(
                "target: {text:?} is a URL: give the host name alone"
            )),
            BareNames::Servers => Ok(Self::Host(name.to_owned())),
            BareNames::Domains => Ok(Self::Domain(name.to_owned())),
            BareNames::Unclear if is_url => Ok(Self::Domain(text.to_owned())),
            BareNames::Unclear => Err(format!(
                "target: {text:?} could be a server or a domain: say which with --server or --domain"
            )),
        }
    }
}

/// Whether a name has the form of a host's, in any alphabet.
fn is_host_name(name: &str) -> bool {
    const LONGEST_NAME: usize = 253;
    const LONGEST_LABEL: usize = 63;
    let is_label = |label: &str| {
        let fits =
            |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{200C}' | '\u{200D}');
        !label.is_empty()
            && label.chars().count() <= LONGEST_LABEL
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(fits)
    };
    // No domain at the top has a single ASCII letter.
    let top = name.rsplit('.').next().unwrap_or_default();
    name.len() <= LONGEST_NAME && name.split('.').all(is_label) && top.len() > 1
}

/// What to leave out of a text that is an address and something around it.
fn around_address(text: &str) -> Option<String> {
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
    let bare = |text: &str| text.trim_matches(['[', ']']).to_owned();
    if let Some((scheme, rest)) = text.split_once("://") {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let address = match host.parse::<SocketAddr>() {
            Ok(socket) => socket.ip().to_string(),
            Err(_) => bare(host),
        };
        return is_address(&address).then(|| {
            format!("is the URL of an address: leave out {scheme}://, and give {address}")
        });
    }
    if let Some((address, length)) = text.rsplit_once('/')
        && is_address(&bare(address))
        && length
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Some(match is_all_of(&bare(address), length) {
            true => "is a network, not a server: give each server's address".to_owned(),
            false => format!("is a network: leave out /{length}"),
        });
    }
    if let Some((address, zone)) = text.split_once('%')
        && is_address(address)
    {
        return Some(format!("has a zone: leave out %{zone}"));
    }
    if let Some(address) = without_leading_zeros(text) {
        return Some(format!("has leading zeros: give {address}"));
    }
    if text.starts_with('[') && is_address(&bare(text)) {
        return Some(format!("has brackets: give {}", bare(text)));
    }
    if let Some((first, last)) = text.split_once('-')
        && is_address(first.trim())
        && last
            .trim()
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || b".:".contains(&byte))
    {
        return Some("is a range: give each address by itself".to_owned());
    }
    None
}

/// Whether an address names a whole network: nothing is set behind its prefix.
fn is_all_of(address: &str, length: &str) -> bool {
    let (Ok(address), Ok(length)) = (address.parse::<IpAddr>(), length.parse::<u32>()) else {
        return false;
    };
    let (bits, width) = match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    };
    length < width && bits.trailing_zeros() >= width - length
}

/// `203.000.113.005` without what makes no difference to a person, and octal numbers to some programs.
fn without_leading_zeros(text: &str) -> Option<IpAddr> {
    let parts = text
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" if part.is_empty() => None,
            "" => Some("0"),
            rest => Some(rest),
        });
    let parts: Vec<&str> = parts.collect::<Option<_>>()?;
    parts.join(".").parse().ok()
}

fn customer(fields: &RowFields, defaults: &Defaults<'_>) -> Result<CustomerId, String> {
    if fields.customer.is_empty() {
        return defaults
            .customer
            .ok_or_else(|| "customer is missing: fill in the column, or give -c".to_owned());
    }
    parse_customer("customer", &fields.customer).map_err(|error| error.message().to_owned())
}

fn number<T: std::str::FromStr>(text: &str, name: &str, form: &str) -> Result<Option<T>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| format!("{name}: {text:?} is not {form}"))
}

fn keep<T>(result: Result<T, String>, problems: &mut Vec<String>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Refuses a request that the service would refuse, before anything is sent.
pub fn refuse(problems: &FieldErrors) -> Result<(), CliError> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CliError::usage(field_problems(problems))),
    }
}

//! Servers of another customer: perhaps the customer's number is a slip.

use crate::bulk::preview;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use crate::session::Session;
use crate::session::prompt::ConfirmationLevel;
use crate::state::records::Server;
use crate::ui::Ui;
use secmon::model::CustomerId;
use secmon::operations::ListEndpoints;
use std::collections::HashMap;
use std::net::IpAddr;

/// Tells of addresses, each with the name it was typed by, that somebody else has, and asks before one of them becomes
/// a server of a customer who has not got it yet.
pub async fn confirm<'a>(
    context: &Context,
    servers: impl IntoIterator<Item = (&'a str, IpAddr, CustomerId)>,
) -> Result<(), CliError> {
    let servers: Vec<(&str, IpAddr, CustomerId)> = servers.into_iter().collect();
    let customers = servers.iter().map(|(_, _, customer)| *customer);
    let owners = owners(&context.session, customers).await?;
    let mut taken = Vec::new();
    let mut danger = ConfirmationLevel::Mild;
    for (name, address, customer) in &servers {
        let owners = owners.get(address).map(Vec::as_slice).unwrap_or_default();
        let others = owners.iter().filter(|owner| *owner != customer);
        let named = others.map(|owner| format!("{name} for customer {owner}"));
        taken.extend(named);
        if !owners.is_empty() && !owners.contains(customer) {
            danger = ConfirmationLevel::Moderate;
        }
    }
    if taken.is_empty() {
        return Ok(());
    }
    let there = preview(&taken, String::clone);
    if !context.prompt.shows_preview(danger) || context.session.settings.safety.dry_run {
        context.screen.note(&format!(
            "warning: already monitored: {there}; is the customer right?"
        ));
    }
    let question = match taken.as_slice() {
        [one] => format!(
            "Already monitored: {one}. Provisioning it for another customer too would count it twice."
        ),
        _ => format!(
            "Already monitored: {there}. Provisioning them for another customer too would count them twice."
        ),
    };
    let count = taken.len().to_string();
    context.prompt.confirm(danger, &question, &count)
}

/// Tells of domains that earlier commands have seen with another customer: what leaks of one is then shown to both.
pub fn tell_of_domains(session: &Session, screen: &Ui, domains: &[(String, CustomerId)]) {
    let Ok(known) = session.known() else {
        return;
    };
    let others = domains.iter().filter_map(|(name, customer)| {
        let mut with_others = known.domains.iter();
        let other = with_others.find(|known| known.name == *name && known.customer != *customer)?;
        Some(format!("{name} for customer {}", other.customer))
    });
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        screen.note(&format!(
            "warning: already watched: {}; what leaks there is shown to both customers: is the customer right?",
            preview(&others, String::clone)
        ));
    }
}

/// Who has which address, as earlier commands have seen it. For a customer of whom they have seen nothing, the first
/// page of all servers is read too.
async fn owners(
    session: &Session,
    customers: impl IntoIterator<Item = CustomerId>,
) -> Result<HashMap<IpAddr, Vec<CustomerId>>, CliError> {
    let mut owners: HashMap<IpAddr, Vec<CustomerId>> = HashMap::new();
    let mut note = |server: &Server| {
        if let (Ok(address), Some(customer)) = (server.ip.parse(), server.customer) {
            let owners = owners.entry(address).or_default();
            if !owners.contains(&customer) {
                owners.push(customer);
            }
        }
    };
    let mut servers: Vec<&Server> = session.known()?.servers.iter().collect();
    servers.sort_by_key(|server| server.customer);
    servers.into_iter().for_each(&mut note);
    let seen = references::seen_customers(session)?;
    if customers
        .into_iter()
        .all(|customer| seen.contains(&customer))
    {
        return Ok(owners);
    }
    let list = ListEndpoints::account_wide().per_page(references::PAGE_SIZE);
    match session.read(list).await {
        Ok(page) => {
            let servers = page.data.iter().map(Server::from);
            servers.for_each(|server| note(&server));
        }
        Err(error) if error.exit() == Exit::Permission => return Err(error),
        // For a question alone: where it cannot be read, what this computer knows is enough.
        Err(_) => {}
    }
    Ok(owners)
}

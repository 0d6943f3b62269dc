//! The fields that name a customer of the partner, and what is sold to it.

use secmon_engine::{Client, ClientId, ServiceId, is_email};

use crate::values::fields::{Fields, Raw, readers};

/// Longest name, e-mail address and nickname.
pub(crate) const LONGEST: usize = 255;

/// A customer's number.
pub(crate) fn number(raw: Raw) -> readers::Read<ClientId> {
    let number = readers::integer(readers::IDENTIFIER)(raw)?;
    ClientId::new(number).ok_or_else(|| "must be at least 1.".to_owned())
}

/// A service's number.
pub(crate) fn service(raw: Raw) -> readers::Read<ServiceId> {
    let number = readers::integer(readers::IDENTIFIER)(raw)?;
    ServiceId::new(number).ok_or_else(|| "must be at least 1.".to_owned())
}

/// The slug of a product or plan.
pub(crate) fn slug(raw: Raw) -> readers::Read<String> {
    readers::text(0..=50)(raw)
}

/// Checks `mrr`, the monthly price of a service, which has no effect here.
pub(crate) fn check_mrr(fields: &mut Fields<'_>) {
    fields.optional("mrr", readers::number(0.01..=9999.99));
}

/// A customer that may be made by this call: its number, name and e-mail address.
pub(crate) fn new_client(fields: &mut Fields<'_>, number_field: &str) -> Option<Client> {
    let id = fields.required(number_field, number);
    let name = fields.optional("client_name", readers::text(0..=LONGEST));
    let email = fields.optional("client_email", email);
    Some(Client {
        id: id?,
        name,
        email,
    })
}

fn email(raw: Raw) -> readers::Read<String> {
    let text = readers::text(0..=LONGEST)(raw)?;
    if is_email(&text) {
        Ok(text)
    } else {
        Err("must be a valid email address.".to_owned())
    }
}

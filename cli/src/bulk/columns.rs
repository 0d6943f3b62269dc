//! Which field a column of a spreadsheet holds.

use super::input::OWN_COLUMNS;
use crate::error::CliError;
use csv::StringRecord;
use std::net::IpAddr;

/// The fields a column can hold, with the other names people give them: small letters and digits only.
const FIELDS: &[(&str, &[&str])] = &[
    (
        "target",
        &[
            "ip",
            "ipaddress",
            "ipadresse",
            "ipv4",
            "ipv6",
            "address",
            "server",
            "serverip",
            "serveripaddress",
            "domain",
            "domainname",
        ],
    ),
    (
        "customer",
        &[
            "client",
            "clientid",
            "clientno",
            "clientnumber",
            "customerid",
            "customerno",
            "customernr",
            "customernumber",
            "billingcustomer",
            "billingcustomerid",
            "kunde",
            "kundenid",
            "kundennr",
            "kundennummer",
        ],
    ),
    ("hostname", &["host", "fqdn"]),
    (
        "nickname",
        &[
            "name",
            "servername",
            "label",
            "alias",
            "displayname",
            "bezeichnung",
        ],
    ),
    ("service_id", &["service", "serviceno", "servicenumber"]),
    ("product_slug", &["product"]),
    ("plan_slug", &["plan"]),
    ("mrr", &[]),
    ("client_name", &["customername", "kundenname"]),
    ("client_email", &["customeremail", "email"]),
];

/// The names of all fields.
pub fn names() -> Vec<&'static str> {
    FIELDS.iter().map(|(name, _)| *name).collect()
}

/// The field each column holds; `None` for the columns of a report.
pub fn read(
    header: &StringRecord,
    map: &[String],
    name: &str,
) -> Result<Vec<Option<&'static str>>, CliError> {
    let mapped = mappings(header, map, name)?;
    let mut columns = Vec::new();
    let mut unknown = Vec::new();
    for title in header {
        let plain = plain_name(title);
        let chosen = mapped
            .iter()
            .find(|(column, _)| plain_name(column) == plain)
            .map(|(_, field)| *field);
        match chosen.or_else(|| field_named(&plain)) {
            Some(field) if columns.contains(&Some(field)) => {
                return Err(two_columns(name, title, field));
            }
            Some(field) => columns.push(Some(field)),
            None if title.trim().to_lowercase().starts_with(OWN_COLUMNS) => columns.push(None),
            None => unknown.push(title),
        }
    }
    if header.iter().any(is_target) {
        return Err(CliError::usage(format!(
            "{name} has no heading row: its first row is {:?}",
            header.iter().collect::<Vec<_>>().join(",")
        ))
        .hint("put \"target,customer\" on top, or what its columns hold: `help csv`"));
    }
    if !unknown.is_empty() {
        return Err(unknown_columns(name, &unknown));
    }
    if !columns.contains(&Some("target")) {
        return Err(CliError::usage(format!("{name} has no column target (or ip, ip_address, server)"))
            .hint("begin with an empty file: `provision --template`; or say which column it is: --map COLUMN=target"));
    }
    Ok(columns)
}

/// What `--map` says, as columns and fields.
fn mappings<'a>(
    header: &StringRecord,
    map: &'a [String],
    name: &str,
) -> Result<Vec<(&'a str, &'static str)>, CliError> {
    let mapped = map
        .iter()
        .map(|pair| mapping(pair))
        .collect::<Result<Vec<_>, _>>()?;
    let titles: Vec<String> = header.iter().map(plain_name).collect();
    let missing = mapped
        .iter()
        .find(|(column, _)| !titles.contains(&plain_name(column)));
    match missing {
        None => Ok(mapped),
        Some((column, _)) => {
            let there: Vec<&str> = header.iter().collect();
            Err(CliError::usage(format!(
                "--map: {name} has no column {column:?} (columns: {})",
                there.join(", ")
            )))
        }
    }
}

fn mapping(pair: &str) -> Result<(&str, &'static str), CliError> {
    let (column, field) = pair
        .split_once('=')
        .ok_or_else(|| CliError::usage(format!("--map: {pair:?} is no COLUMN=FIELD")))?;
    let known = field_named(&plain_name(field))
        .ok_or_else(|| CliError::usage(format!("--map: there is no field {field:?}")))?;
    Ok((column, known))
}

fn two_columns(name: &str, title: &str, field: &str) -> CliError {
    CliError::usage(format!("{name} has two columns for {field}: leave one out")).hint(format!(
        "or say what the second holds: --map {}=FIELD",
        crate::invocation::quoted(title)
    ))
}

fn unknown_columns(name: &str, titles: &[&str]) -> CliError {
    let maps: Vec<String> = titles
        .iter()
        .map(|title| format!("--map {}=FIELD", crate::invocation::quoted(title)))
        .collect();
    let (columns, them) = match titles {
        [_] => ("column", "it"),
        _ => ("columns", "them"),
    };
    let message = format!(
        "{name}: nothing is known of the {columns} {} (fields: {})",
        titles.join(", "),
        names().join(", ")
    );
    CliError::usage(message).hint(format!(
        "say which FIELD it is with {}, or take {them} out",
        maps.join(" ")
    ))
}

/// Whether a cell is what stands below a heading, and never in one.
fn is_target(cell: &str) -> bool {
    let cell = cell.trim();
    cell.parse::<IpAddr>().is_ok() || cell.contains("://")
}

fn field_named(plain: &str) -> Option<&'static str> {
    FIELDS
        .iter()
        .find(|(name, others)| plain_name(name) == plain || others.contains(&plain))
        .map(|(name, _)| *name)
}

/// A title without what people write differently: capitals, blanks, punctuation.
fn plain_name(title: &str) -> String {
    let letters = title.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

//! Which field a column of a spreadsheet holds.

use crate::error::CliError;
use crate::ui::invocation::quoted;
use csv::StringRecord;
use std::net::IpAddr;

/// Columns of a report; a report can be fed back in.
pub const OWN_COLUMNS: &str = "secmon_";

/// The fields a column can hold.
pub const FIELDS: [&str; 10] = [
    "target",
    "customer",
    "hostname",
    "nickname",
    "service_id",
    "product_slug",
    "plan_slug",
    "mrr",
    "client_name",
    "client_email",
];

/// What people call a customer, and the number that stands behind it.
const CUSTOMERS: &[&str] = &[
    "account",
    "acct",
    "billingcustomer",
    "client",
    "clientaccount",
    "customer",
    "customeraccount",
    "kunde",
    "kunden",
];
const NUMBERS: &[&str] = &["", "id", "no", "nr", "num", "number", "nummer"];

/// A target, or beside one that is an address the name of a server.
const SERVER: &str = "server";

/// Targets that are no addresses of servers.
const DOMAINS: &[&str] = &["domain", "domainname"];

/// What `--map` calls a column that is passed over.
const PASSED_OVER: &str = "-";

/// The field each column holds; `None` for what is passed over: notes, and the columns of a report.
pub fn read(
    header: &StringRecord,
    map: &[String],
    name: &str,
) -> Result<Vec<Option<&'static str>>, CliError> {
    let mapped = mappings(header, map, name)?;
    let mut fields: Vec<Option<Option<&str>>> = header
        .iter()
        .map(|title| field_of(title, &mapped))
        .collect();
    name_servers_beside_addresses(header, &mapped, &mut fields);
    let columns: Vec<Option<&str>> = fields.iter().map(|field| field.flatten()).collect();
    if header.iter().any(is_target) {
        return Err(CliError::usage(format!(
            "{name} has no heading row: its first row is {:?}",
            header.iter().collect::<Vec<_>>().join(",")
        ))
        .hint("put \"target,customer\" on top, or what its columns hold: `help csv`"));
    }
    let titled = |wanted: Option<Option<&str>>| -> Vec<&str> {
        let both = header.iter().zip(&fields);
        both.filter(|(_, field)| **field == wanted)
            .map(|(title, _)| title)
            .collect()
    };
    let unknown = titled(None);
    if !unknown.is_empty() {
        return Err(unknown_columns(name, &unknown));
    }
    for field in FIELDS {
        let titles = titled(Some(Some(field)));
        if titles.len() > 1 {
            return Err(several_columns(name, &titles, field));
        }
    }
    if !columns.contains(&Some("target")) {
        return Err(no_target(name).hint("begin with an empty file: `provision --template`; or say which column it is: --map COLUMN=target"));
    }
    Ok(columns)
}

/// How the columns were read, where their headings do not say it in the field's own words.
pub fn reading_note(header: &StringRecord, columns: &[Option<&str>]) -> Option<String> {
    let both = || header.iter().zip(columns);
    let read = both().filter_map(|(title, field)| {
        let field = (*field).filter(|field| plain_name(field) != plain_name(title))?;
        Some(format!("{title} is {field}"))
    });
    let passed = both().filter(|(title, field)| field.is_none() && !is_own(title));
    let passed = passed.map(|(title, _)| format!("{title} is ignored"));
    let all: Vec<String> = read.chain(passed).collect();
    (!all.is_empty()).then(|| format!("columns: {}", all.join(", ")))
}

/// What a column holds by itself: `None` where nothing is known of it, and nothing in that where it is passed over.
fn field_of(title: &str, mapped: &[(&str, Option<&'static str>)]) -> Option<Option<&'static str>> {
    let plain = plain_name(title);
    if let Some((_, field)) = mapped
        .iter()
        .find(|(column, _)| plain_name(column) == plain)
    {
        return Some(*field);
    }
    match plain.as_str() {
        _ if is_own(title) => Some(None),
        // Columns that are for people alone.
        "bemerkung" | "bemerkungen" | "comment" | "comments" | "kommentar" | "note" | "notes"
        | "notiz" | "notizen" | "remark" | "remarks" => Some(None),
        plain => field_named(plain).map(Some),
    }
}

/// A column of servers is one of their names where another has their addresses.
fn name_servers_beside_addresses(
    header: &StringRecord,
    mapped: &[(&str, Option<&'static str>)],
    fields: &mut [Option<Option<&'static str>>],
) {
    let titles: Vec<String> = header.iter().map(plain_name).collect();
    let is_server = |title: &String| {
        title == SERVER
            && !mapped
                .iter()
                .any(|(column, _)| plain_name(column) == SERVER)
    };
    let has_addresses = titles.iter().zip(fields.iter()).any(|(title, field)| {
        *field == Some(Some("target")) && title != SERVER && !DOMAINS.contains(&title.as_str())
    });
    for (title, field) in titles.iter().zip(fields) {
        if has_addresses && is_server(title) {
            *field = Some(Some("nickname"));
        }
    }
}

/// What `--map` says, as columns and fields.
fn mappings<'a>(
    header: &StringRecord,
    map: &'a [String],
    name: &str,
) -> Result<Vec<(&'a str, Option<&'static str>)>, CliError> {
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

fn mapping(pair: &str) -> Result<(&str, Option<&'static str>), CliError> {
    let (column, field) = pair.split_once('=').ok_or_else(|| {
        CliError::usage(format!("--map: {pair:?} is not of the form COLUMN=FIELD"))
    })?;
    if field == PASSED_OVER {
        return Ok((column, None));
    }
    let known = field_named(&plain_name(field)).ok_or_else(|| {
        CliError::usage(format!(
            "--map: there is no field {field:?} (fields: {}; {PASSED_OVER} passes the column over)",
            FIELDS.join(", ")
        ))
    })?;
    Ok((column, Some(known)))
}

fn several_columns(name: &str, titles: &[&str], field: &str) -> CliError {
    let message = format!(
        "{name} has {} columns for {field}: {}",
        titles.len(),
        titles.join(", ")
    );
    if titles
        .iter()
        .all(|title| plain_name(title) == plain_name(titles[0]))
    {
        return CliError::usage(message)
            .hint("give one of them another heading, or take it out of the file");
    }
    let last = titles.last().copied().unwrap_or_default();
    let last = quoted(last);
    CliError::usage(message).hint(format!(
        "say what one of them holds, as --map {last}=FIELD (fields: {}), or ignore it with --map {last}={PASSED_OVER}",
        FIELDS.join(", ")
    ))
}

fn unknown_columns(name: &str, titles: &[&str]) -> CliError {
    let mapped_to = |field: &str| {
        let maps = titles
            .iter()
            .map(|title| format!("--map {}={field}", quoted(title)));
        maps.collect::<Vec<_>>().join(" ")
    };
    let (columns, them) = match titles {
        [_] => ("column", "it"),
        _ => ("columns", "them"),
    };
    let message = format!(
        "{name}: unknown {columns} {} (fields: {})",
        titles
            .iter()
            .map(|title| format!("{title:?}"))
            .collect::<Vec<_>>()
            .join(", "),
        FIELDS.join(", ")
    );
    CliError::usage(message).hint(format!(
        "say which FIELD it is with {}, or ignore {them} with {}",
        mapped_to("FIELD"),
        mapped_to(PASSED_OVER)
    ))
}

/// The error of a file without a column of targets.
pub fn no_target(name: &str) -> CliError {
    CliError::usage(format!(
        "{name} has no column target (or ip, ip_address, server)"
    ))
}

/// Whether a heading is that of a field.
pub fn is_for(title: &str, field: &str) -> bool {
    field_named(&plain_name(title)) == Some(field)
}

/// Whether a cell is what stands below a heading, and never in one.
fn is_target(cell: &str) -> bool {
    let cell = cell.trim();
    cell.parse::<IpAddr>().is_ok() || cell.contains("://")
}

/// The field that people mean by a heading, in small letters and digits only.
fn field_named(plain: &str) -> Option<&'static str> {
    Some(match plain {
        "target" | "ip" | "ipaddress" | "ipadresse" | "ipv4" | "ipv6" | "address" | "hostip"
        | "mainip" | "primaryip" | "publicip" | "server" | "serverip" | "serveripaddress"
        | "domain" | "domainname" => "target",
        "hostname" | "host" | "dnsname" | "fqdn" => "hostname",
        "nickname" | "name" | "servername" | "machine" | "machinename" | "label" | "alias"
        | "displayname" | "bezeichnung" => "nickname",
        "serviceid" | "service" | "serviceno" | "servicenumber" => "service_id",
        "productslug" | "product" => "product_slug",
        "planslug" | "plan" => "plan_slug",
        "mrr" => "mrr",
        "clientname" | "accountname" | "customername" | "kundenname" => "client_name",
        "clientemail" | "customeremail" | "email" | "emailaddress" | "mail" => "client_email",
        plain if is_customer(plain) => "customer",
        _ => return None,
    })
}

/// Whether it is a column of a report.
fn is_own(title: &str) -> bool {
    title.trim().to_lowercase().starts_with(OWN_COLUMNS)
}

fn is_customer(plain: &str) -> bool {
    let behind = |called: &&str| plain.strip_prefix(*called);
    let mut behind = CUSTOMERS.iter().filter_map(behind);
    behind.any(|behind| NUMBERS.contains(&behind))
}

/// A title without what people write differently: capitals, blanks, punctuation.
fn plain_name(title: &str) -> String {
    let title = title.replace(['#', '№'], "no");
    let letters = title.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

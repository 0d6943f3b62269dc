//! Which field a column of a spreadsheet holds.

use super::cells::visible;
use super::spreadsheet::Records;
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

/// What `endpoint list -o csv` and `domain list -o csv` print besides fields.
const OWN_EXPORTS: &[&str] = &[
    "id",
    "status",
    "last_scan_at",
    "next_scan_at",
    "platform",
    "quota_paused",
    "created_at",
    "employees_compromised",
    "customers_compromised",
    "third_parties_compromised",
    "dark_web_mentions_count",
    "scan_status",
    "portal_detail_path",
];

/// A column of a file.
#[derive(Debug)]
pub struct Column {
    /// Its heading, without what nobody sees; of one without, its number from 1.
    title: String,
    /// What it holds; `None` where it is passed over.
    pub field: Option<&'static str>,
}

/// Reads what each column holds: a field, or what is passed over, as notes and the columns of a report.
pub fn read(records: &Records, map: &[String], name: &str) -> Result<Vec<Column>, CliError> {
    let header = &records.heading;
    if header.iter().any(is_target) {
        return Err(CliError::usage(format!(
            "{name} has no heading row: its first row is {:?}",
            header.iter().collect::<Vec<_>>().join(",")
        ))
        .hint("put \"target,customer\" on top, or what its columns hold: `help csv`"));
    }
    let titles = titles(records);
    let mapped = mappings(&titles, map, name)?;
    let mut fields: Vec<Option<Option<&str>>> = titles
        .iter()
        .map(|title| field_of(title, &mapped))
        .collect();
    for (place, field) in fields.iter_mut().enumerate() {
        // A column that nobody has named or filled is none.
        if header
            .get(place)
            .is_none_or(|title| visible(title).is_empty())
            && records.is_empty_column(place)
        {
            *field = Some(None);
        }
    }
    name_servers_beside_addresses(&titles, &mapped, &mut fields);
    let titled = |wanted: Option<Option<&str>>| -> Vec<&str> {
        let both = titles.iter().zip(&fields);
        both.filter(|(_, field)| **field == wanted)
            .map(|(title, _)| title.as_str())
            .collect()
    };
    let unknown = titled(None);
    if !unknown.is_empty() {
        return Err(match heading_below(records) {
            Some(row) => CliError::usage(format!(
                "{name}: the headings are in row {row}: delete the rows above it"
            )),
            None => unknown_columns(name, &unknown),
        });
    }
    for field in FIELDS {
        let titles = titled(Some(Some(field)));
        if titles.len() > 1 {
            return Err(several_columns(name, &titles, field));
        }
    }
    let columns: Vec<Column> = titles
        .into_iter()
        .zip(fields)
        .map(|(title, field)| Column {
            title,
            field: field.flatten(),
        })
        .collect();
    if !columns.iter().any(|column| column.field == Some("target")) {
        return Err(no_target(name).hint("begin with an empty file: `provision --template`; or say which column it is: --map COLUMN=target"));
    }
    Ok(columns)
}

/// The headings as people see them. Where one is missing, or there twice, the column's number names it.
fn titles(records: &Records) -> Vec<String> {
    let seen: Vec<String> = records
        .heading
        .iter()
        .map(|title| visible(title).into_owned())
        .collect();
    let numbered = seen
        .iter()
        .enumerate()
        .map(|(place, title)| match title.as_str() {
            "" => (place + 1).to_string(),
            title => title.to_owned(),
        });
    numbered.collect()
}

/// The row in which the headings stand, where a title stands above them.
fn heading_below(records: &Records) -> Option<u64> {
    const ROWS: usize = 10;
    let filled =
        |record: &StringRecord| record.iter().filter(|cell| !cell.trim().is_empty()).count();
    if filled(&records.heading) > 2 {
        return None;
    }
    let is_heading = |record: &StringRecord| {
        let titles = || record.iter().map(plain_name);
        titles().any(|title| field_named(&title) == Some("target"))
            && titles()
                .filter(|title| field_named(title).is_some())
                .count()
                > 1
    };
    let mut rows = records.rows.iter().take(ROWS);
    rows.find(|(_, record)| is_heading(record))
        .map(|(row, _)| *row)
}

/// How the columns were read, where their headings do not say it in the field's own words.
pub fn reading_note(columns: &[Column]) -> Option<String> {
    let read = columns.iter().filter_map(|Column { title, field }| {
        let field = (*field).filter(|field| plain_name(field) != plain_name(title))?;
        Some(format!("{title} is {field}"))
    });
    let is_nameless = |title: &str| title.bytes().all(|byte| byte.is_ascii_digit());
    let passed = columns.iter().filter(|column| {
        column.field.is_none() && !is_own(&column.title) && !is_nameless(&column.title)
    });
    let passed = passed.map(|column| format!("{} is ignored", column.title));
    let all: Vec<String> = read.chain(passed).collect();
    (!all.is_empty()).then(|| format!("columns: {}", all.join(", ")))
}

/// What a column holds by itself: `None` where nothing is known of it, and nothing in that where it is passed over.
fn field_of(title: &str, mapped: &[(&str, Option<&'static str>)]) -> Option<Option<&'static str>> {
    // What is written alike comes before what is meant alike.
    let exact = mapped.iter().find(|(column, _)| *column == title);
    let alike = mapped.iter().find(|(column, _)| is_alike(column, title));
    if let Some((_, field)) = exact.or(alike) {
        return Some(*field);
    }
    match plain_name(title).as_str() {
        _ if is_own(title) || OWN_EXPORTS.contains(&title) => Some(None),
        // Columns that are for people alone.
        "bemerkung" | "bemerkungen" | "comment" | "comments" | "kommentar" | "note" | "notes"
        | "notiz" | "notizen" | "remark" | "remarks" => Some(None),
        plain => field_named(plain).map(Some),
    }
}

/// Whether two headings are the same to a person. One without letters is like itself only.
fn is_alike(one: &str, other: &str) -> bool {
    let plain = plain_name(one);
    one == other || !plain.is_empty() && plain == plain_name(other)
}

/// A column of servers is one of their names where another has their addresses.
fn name_servers_beside_addresses(
    titles: &[String],
    mapped: &[(&str, Option<&'static str>)],
    fields: &mut [Option<Option<&'static str>>],
) {
    let titles: Vec<String> = titles.iter().map(|title| plain_name(title)).collect();
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
    titles: &[String],
    map: &'a [String],
    name: &str,
) -> Result<Vec<(&'a str, Option<&'static str>)>, CliError> {
    let mapped = map
        .iter()
        .map(|pair| mapping(pair))
        .collect::<Result<Vec<_>, _>>()?;
    let is_there = |column: &str| titles.iter().any(|title| is_alike(column, title));
    match mapped.iter().find(|(column, _)| !is_there(column)) {
        None => Ok(mapped),
        Some((column, _)) => Err(CliError::usage(format!(
            "--map: {name} has no column {column:?} (columns: {})",
            titles.join(", ")
        ))),
    }
}

fn mapping(pair: &str) -> Result<(&str, Option<&'static str>), CliError> {
    // No field has an equals sign in its name; a heading may.
    let (column, field) = pair.rsplit_once('=').ok_or_else(|| {
        CliError::usage(format!("--map: {pair:?} is not of the form COLUMN=FIELD"))
    })?;
    let (column, field) = (column.trim(), field.trim());
    if field == PASSED_OVER {
        return Ok((column, None));
    }
    let known = field_named(&plain_name(field)).ok_or_else(|| {
        CliError::usage(format!(
            "--map: there is no field {field:?} (fields: {}; {PASSED_OVER} ignores the column)",
            FIELDS.join(", ")
        ))
    })?;
    Ok((column, Some(known)))
}

/// `--map` for a heading, as a shell takes it.
fn map_of(title: &str, field: &str) -> String {
    let pair = match quoted(title) == title {
        true => format!("{title}={field}"),
        false => quoted(&format!("{title}={field}")),
    };
    match title.starts_with('-') {
        true => format!("--map={pair}"),
        false => format!("--map {pair}"),
    }
}

fn several_columns(name: &str, titles: &[&str], field: &str) -> CliError {
    let message = format!(
        "{name} has {} columns for {field}: {}",
        titles.len(),
        titles.join(", ")
    );
    if titles.iter().all(|title| is_alike(title, titles[0])) {
        return CliError::usage(message)
            .hint("give one of them another heading, or take it out of the file");
    }
    let last = titles.last().copied().unwrap_or_default();
    CliError::usage(message).hint(format!(
        "say what one of them holds, as {} (fields: {}), or ignore it with {}",
        map_of(last, "FIELD"),
        FIELDS.join(", "),
        map_of(last, PASSED_OVER)
    ))
}

fn unknown_columns(name: &str, titles: &[&str]) -> CliError {
    let mapped_to = |field: &str| {
        let maps = titles.iter().map(|title| map_of(title, field));
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
            .map(
                |title| match title.bytes().all(|byte| byte.is_ascii_digit()) {
                    true => format!("number {title}, which has no heading"),
                    false => format!("{title:?}"),
                }
            )
            .collect::<Vec<_>>()
            .join(", "),
        FIELDS.join(", ")
    );
    if let [whole] = titles
        && let Some(other) = ['|', '，', '；', ':']
            .into_iter()
            .find(|other| whole.contains(*other))
        && field_named(&plain_name(whole.split(other).next().unwrap_or_default())).is_some()
    {
        return CliError::usage(message).hint(match other.is_ascii() {
            true => format!("if {other} stands between the columns, say so: --delimiter '{other}'"),
            false => format!(
                "write a comma, a semicolon or a tab between the columns instead of {other}"
            ),
        });
    }
    CliError::usage(message).hint(format!(
        "give its field with {}, or ignore {them} with {}",
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

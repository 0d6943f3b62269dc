//! `secmon api PATH`

use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  secmon api endpoints -X GET -f billing_customer_id=42
  secmon api health -i
  secmon api endpoints --paginate --jq '.[].ip_address'
  secmon api billing/suspend -f endpoint_id=4e6f...
  secmon api whitelists --input rule.json

With -f, -F or --input the method is POST, unless -X says otherwise; on GET the fields go into the query.";

/// One call of any path.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ApiArgs {
    /// Path of the operation, with or without /api/v1 in front
    pub path: String,
    /// Method of the call
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Add a text field (repeatable)
    #[arg(short = 'f', long = "raw-field", value_name = "KEY=VALUE")]
    pub raw_fields: Vec<String>,
    /// Add a field whose value is read as JSON: a number, true, null, a list (repeatable)
    #[arg(short = 'F', long = "field", value_name = "KEY=JSON")]
    pub fields: Vec<String>,
    /// Add a header (repeatable); the key's own header cannot be changed
    #[arg(short = 'H', long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<String>,
    /// Send this file as the body, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["raw_fields", "fields"])]
    pub input: Option<PathBuf>,
    /// Read all pages of a list and print their items as one array (GET only)
    #[arg(long, conflicts_with = "include")]
    pub paginate: bool,
    /// Print the status line and the headers too
    #[arg(short, long)]
    pub include: bool,
}

//! `secmon api`: one call of any path.

mod pages;

use self::pages::{Answer, Pages};
use crate::commands::common::streamed::Stream;
use crate::context::Context;
use crate::error::{CliError, Exit, Failure};
use crate::machine::files;
use crate::session::calls::PlannedChange;
use crate::state::affected::AffectedRecords;
use crate::state::changes::ChangeResult;
use crate::ui::Reader;
use crate::ui::outcome::{Block, Outcome, Table};
use clap::Args;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use secmon::{RawRequest, RawResponse};
use serde_json::{Map, Value};
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

const MAX_BODY: u64 = 16 * 1024 * 1024;

/// Runs the command. What the service answers is printed as it is; its status decides the exit code.
pub async fn run(context: &Context, args: ApiArgs) -> Result<Outcome, CliError> {
    let session = &context.session;
    let request = request(&args)?;
    if args.paginate {
        return paginated(context, request, &args).await;
    }
    let about = format!("{} {}", request.method, request.path);
    session.ready().await?;
    let method = request.method.clone();
    let write = method != Method::GET;
    let affected = AffectedRecords::by_raw(&request.path, request.body.as_ref());
    if write {
        session
            .agree_to(&about, &affected, &PlannedChange::default())
            .await?;
    }
    let recorded = write.then(|| session.record_raw(&about, &affected));
    let answer = match session.client()?.raw(request).await {
        Ok(answer) => answer,
        Err(error) if session.guard()?.stopped(&error) => {
            session.refused::<()>(session.guard()?, &about)?;
            return Ok(Outcome::text(""));
        }
        Err(error) => {
            if let Some(recorded) = recorded {
                recorded.failed(&error);
            }
            return Err(CliError::from(error));
        }
    };
    if let Some(recorded) = recorded {
        let result = match answer.status.is_success() {
            true => ChangeResult::Changed,
            false => ChangeResult::Refused,
        };
        let body = serde_json::from_slice(&answer.body).ok();
        let body: Option<Value> = body.filter(|_| !about.contains("/sso/"));
        recorded.answered(result, body.as_ref());
    }
    Ok(shown(&method, &answer, &args))
}

async fn paginated(
    context: &Context,
    request: RawRequest,
    args: &ApiArgs,
) -> Result<Outcome, CliError> {
    if request.method != Method::GET {
        return Err(CliError::usage(
            "--paginate reads a list: with fields or a body, say -X GET too",
        ));
    }
    let session = &context.session;
    session.ready().await?;
    let (mut pages, mut items) = (Pages::of(request), Vec::new());
    let mut stream = Stream::new(&context.screen);
    while let Some(answer) = pages.next(session).await? {
        match answer {
            Answer::Other(answer) => return Ok(shown(&Method::GET, &answer, args)),
            Answer::Page(page) if !context.screen.streams() => items.extend(page),
            Answer::Page(page) => {
                let page = Outcome::record(Value::Array(page), Table::default());
                if stream.show(page)? == Reader::Gone {
                    break;
                }
            }
        }
    }
    if context.screen.streams() {
        return Ok(Outcome::silent());
    }
    let items = Value::Array(items);
    let text = serde_json::to_string_pretty(&items).unwrap_or_else(|_| items.to_string());
    let text = crate::ui::escape_json(&text);
    let text = vec![Block::Verbatim(format!("{text}\n"))];
    Ok(Outcome::record(items, Table::default()).tell(text))
}

fn shown(method: &Method, answer: &RawResponse, args: &ApiArgs) -> Outcome {
    let mut text = String::new();
    if args.include {
        text.push_str(&format!("HTTP {}\n", answer.status));
        for (name, value) in &answer.headers {
            text.push_str(&format!(
                "{name}: {}\n",
                crate::ui::sanitize(&String::from_utf8_lossy(value.as_bytes()))
            ));
        }
        text.push('\n');
    }
    let parsed: Option<Value> = serde_json::from_slice(&answer.body).ok();
    match parsed
        .as_ref()
        .and_then(|value| serde_json::to_string_pretty(value).ok())
    {
        Some(pretty) => text.push_str(&crate::ui::escape_json(&pretty)),
        None => text.push_str(&crate::ui::sanitize(&String::from_utf8_lossy(&answer.body))),
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let trouble = trouble(method, answer, parsed.as_ref());
    let result = if args.include {
        Value::String(text.clone())
    } else {
        parsed.unwrap_or(Value::String(text.clone()))
    };
    Outcome {
        deferred_error: trouble,
        ..Outcome::record(result, Table::default()).tell(vec![Block::Verbatim(text)])
    }
}

/// What the service refused is printed as it is; a script gets the error beside it.
fn trouble(method: &Method, answer: &RawResponse, body: Option<&Value>) -> Option<CliError> {
    let status = answer.status;
    let exit = Exit::of_status(status.as_u16());
    if exit == Exit::Done && !is_error(body) {
        return None;
    }
    let said = |pointer: &str| {
        body.and_then(|body| body.pointer(pointer))
            .and_then(Value::as_str)
    };
    let code = said("/error/code").unwrap_or("refused");
    let is_told = said("/error/code").is_some();
    let message = said("/error/message")
        .or(said("/message"))
        .unwrap_or("the answer is not in the service's format");
    // An error under a success is told by its code, or else is no answer that can be believed.
    let code = (is_told || !status.is_success()).then(|| code.into());
    let failure = Failure::Answered(status.as_u16(), code);
    let mut error = CliError::new(failure, message).with_status(status.as_u16());
    // A call that was refused by a rate limit was not processed; of any other nobody knows it, so only a read is safe.
    let is_safe_read = *method == Method::GET && status.is_server_error();
    if status == StatusCode::TOO_MANY_REQUESTS || is_safe_read {
        error = error.retryable();
    }
    if status == StatusCode::NOT_FOUND && said("/error/code").is_none() {
        error = error.hint("check the path, and the ids in it");
    }
    Some(error)
}

/// Whether a body is one of the shapes of an error, whatever its status.
fn is_error(body: Option<&Value>) -> bool {
    let Some(body) = body else {
        return false;
    };
    let errors = body.get("errors").and_then(Value::as_object);
    body.get("success") == Some(&Value::Bool(false))
        || body.get("error").is_some_and(Value::is_object)
        || body.get("status").and_then(Value::as_str) == Some("error")
        || errors.is_some_and(|errors| !errors.is_empty())
}

fn request(args: &ApiArgs) -> Result<RawRequest, CliError> {
    let fields = fields(args)?;
    let input = args.input.as_deref();
    let body = input
        .map(|path| files::read_json(path, MAX_BODY))
        .transpose()?;
    let has_content = body.is_some() || !fields.is_empty();
    let method = match &args.method {
        Some(name) => Method::from_bytes(name.to_ascii_uppercase().as_bytes())
            .map_err(|_| CliError::usage(format!("--method: {name:?} is not an HTTP method")))?,
        None if has_content => Method::POST,
        None => Method::GET,
    };
    let mut request = RawRequest::new(method.clone(), args.path.as_str());
    if method == Method::GET || method == Method::DELETE {
        request.query.extend(
            fields
                .into_iter()
                .map(|(name, value)| (name, plain(&value))),
        );
        request.body = body;
    } else {
        request.body = body.or_else(|| (!fields.is_empty()).then_some(Value::Object(fields)));
    }
    request.headers = headers(&args.headers)?;
    Ok(request)
}

fn fields(args: &ApiArgs) -> Result<Map<String, Value>, CliError> {
    let mut fields = Map::new();
    for pair in &args.raw_fields {
        let (name, value) = split(pair, '=', "--raw-field", "KEY=VALUE")?;
        fields.insert(name.to_owned(), Value::from(value));
    }
    for pair in &args.fields {
        let (name, text) = split(pair, '=', "--field", "KEY=JSON")?;
        let value = serde_json::from_str(text).map_err(|error| {
            CliError::usage(format!(
                "--field {name}: {text:?} is not JSON ({error}); for plain text use -f"
            ))
        })?;
        fields.insert(name.to_owned(), value);
    }
    Ok(fields)
}

fn split<'a>(
    pair: &'a str,
    at: char,
    option: &str,
    form: &str,
) -> Result<(&'a str, &'a str), CliError> {
    let found = pair.split_once(at).filter(|(name, _)| !name.is_empty());
    found.ok_or_else(|| CliError::usage(format!("{option}: {pair:?} is not of the form {form}")))
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn headers(given: &[String]) -> Result<HeaderMap, CliError> {
    let mut headers = HeaderMap::new();
    for header in given {
        let (name, value) = split(header, ':', "--header", "NAME:VALUE")?;
        let wrong = || {
            CliError::usage(format!(
                "--header: {name:?} is not a header that can be sent"
            ))
        };
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        if name == http::header::AUTHORIZATION {
            return Err(CliError::usage(
                "--header: the key's own header cannot be changed: choose another profile instead",
            ));
        }
        headers.append(
            name.clone(),
            HeaderValue::from_str(value.trim()).map_err(|_| wrong())?,
        );
    }
    Ok(headers)
}

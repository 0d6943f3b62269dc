//! An expression, read and run by the library that knows the language.

use super::errors::{beginning, failed, refused};
use crate::error::CliError;
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, compile, data};
use jaq_json::{Val, read};

/// Spreadsheet rows, as `jq` has them and the library has not.
const ROWS: &str = r#"
    def @tsv: map(if . == null then "" else tostring | gsub("\t"; "\\t") | gsub("\n"; "\\n") end) | join("\t");
    def @csv: map(if isstring then "\"" + gsub("\""; "\"\"") + "\"" elif . == null then "" else tostring end)
        | join(",");
"#;

/// A compiled expression.
pub struct Expression(jaq_core::Filter<data::JustLut<Val>>);

impl Expression {
    /// Reads an expression.
    pub fn parse(expression: &str) -> Result<Self, CliError> {
        let rows = load::parse(ROWS, |parser| parser.defs()).unwrap_or_default();
        let definitions = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .chain(rows);
        // What is in the environment is nobody's result.
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|function| function.0 != "env");
        let arena = Arena::default();
        let file = File {
            code: expression,
            path: (),
        };
        let modules = Loader::new(definitions)
            .load(&arena, file)
            .map_err(|errors| refused(expression, &unreadable(errors)))?;
        let filter = Compiler::default()
            .with_funs(functions)
            .compile(modules)
            .map_err(|errors| refused(expression, &undefined(&errors)))?;
        Ok(Self(filter))
    }

    /// Runs the expression on a result, and hands on what comes out, line by line, until nobody takes it.
    pub fn run(&self, result: &str, take: impl Fn(String) -> bool) -> Result<(), CliError> {
        let input = read::parse_single(result.as_bytes()).map_err(|error| unfit(&error))?;
        let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        for value in self.0.id.run((context, input)) {
            let line = match value {
                Ok(Val::TStr(text)) => format!("{}\n", String::from_utf8_lossy(&text)),
                Ok(value) => format!("{value}\n"),
                // Anything but an error is a `halt`, which ends the results and nothing else.
                Err(exception) => {
                    return match exception.get_err() {
                        Ok(error) => Err(unfit(&error)),
                        Err(_) => Ok(()),
                    };
                }
            };
            if !take(line) {
                break;
            }
        }
        Ok(())
    }
}

/// Of a text in an error so much is shown.
const SHOWN: usize = 80;

fn unfit(reason: &impl ToString) -> CliError {
    failed(&beginning(&reason.to_string(), SHOWN))
}

fn unreadable(errors: load::Errors<&str, ()>) -> String {
    let first = errors.into_iter().next().map(|(_, error)| error);
    let (wanted, at) = match first {
        Some(load::Error::Lex(errors)) => errors
            .first()
            .map(|(wanted, at)| (wanted.as_str(), *at))
            .unwrap_or_default(),
        Some(load::Error::Parse(errors)) => errors
            .first()
            .map(|(wanted, at)| (wanted.as_str(), *at))
            .unwrap_or_default(),
        Some(load::Error::Io(_)) => {
            return "loads a module, and there are none here".to_owned();
        }
        None => return "cannot be read".to_owned(),
    };
    match at {
        "" => format!("ends too early: {wanted} is missing"),
        at => {
            let at = beginning(at, SHOWN);
            format!("cannot be read at {at:?}: {wanted} is expected")
        }
    }
}

fn undefined(errors: &compile::Errors<&str, ()>) -> String {
    let first = errors.iter().flat_map(|(_, errors)| errors).next();
    match first {
        Some((name, kind)) => format!("uses {name:?}, and there is no such {}", kind.as_str()),
        None => "cannot be run".to_owned(),
    }
}

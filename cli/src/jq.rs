//! `--jq`: filtering a result with a jq expression, before any request is sent and after the last one has ended.

use crate::error::CliError;
use serde_json::Value;

/// What an expression makes of a result.
#[derive(Debug, Default)]
pub struct Filtered {
    /// One line a result: texts bare, everything else as JSON.
    pub text: String,
    /// Why it ended early.
    pub trouble: Option<CliError>,
}

fn refused(expression: &str, reason: &str) -> CliError {
    CliError::usage(format!("--jq: {expression:?} {reason}"))
        .hint("it is the language of jq, as in --jq '.[] | select(.status == \"open\") | .id'")
}

/// An error of the expression on this very result: what the command did is done.
#[cfg(feature = "jq")]
fn failed(reason: &str) -> CliError {
    const ENOUGH: usize = 200;
    let reason: String = reason.chars().take(ENOUGH).collect();
    CliError::new(
        crate::error::Exit::Other,
        "jq",
        format!("--jq does not fit the result: {reason}"),
    )
    .hint("the command itself has ended; see its result with -o json")
}

#[cfg(feature = "jq")]
pub use with_jaq::Filter;
#[cfg(not(feature = "jq"))]
pub use without::Filter;

#[cfg(feature = "jq")]
mod with_jaq {
    use super::{CliError, Filtered, Value, failed, refused};
    use jaq_core::load::{self, Arena, File, Loader};
    use jaq_core::{Compiler, Ctx, Vars, compile, data};
    use jaq_json::{Val, read};
    use std::fmt;

    /// Spreadsheet rows, as `jq` has them and the library has not.
    const ROWS: &str = r#"
        def @tsv: map(if . == null then "" else tostring | gsub("\t"; "\\t") | gsub("\n"; "\\n") end) | join("\t");
        def @csv: map(if isstring then "\"" + gsub("\""; "\"\"") + "\"" elif . == null then "" else tostring end)
            | join(",");
    "#;

    /// A compiled expression.
    pub struct Filter(jaq_core::Filter<data::JustLut<Val>>);

    impl fmt::Debug for Filter {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Filter")
        }
    }

    impl Filter {
        /// Reads an expression.
        pub fn parse(expression: &str) -> Result<Self, CliError> {
            let rows = load::parse(ROWS, |parser| parser.defs()).unwrap_or_default();
            let definitions = jaq_core::defs()
                .chain(jaq_std::defs())
                .chain(jaq_json::defs())
                .chain(rows);
            // The environment holds the key.
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

        /// Runs the expression on a result.
        pub fn run(&self, result: &Value) -> Filtered {
            let mut filtered = Filtered::default();
            let input = match read::parse_single(result.to_string().as_bytes()) {
                Ok(input) => input,
                Err(error) => {
                    filtered.trouble = Some(failed(&error.to_string()));
                    return filtered;
                }
            };
            let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([]));
            for value in self.0.id.run((context, input)) {
                match value {
                    Ok(Val::TStr(text)) => {
                        filtered.text.push_str(&String::from_utf8_lossy(&text));
                        filtered.text.push('\n');
                    }
                    Ok(value) => filtered.text.push_str(&format!("{value}\n")),
                    Err(exception) => {
                        // Anything but an error is a `halt`, which ends the results and nothing else.
                        filtered.trouble = exception
                            .get_err()
                            .ok()
                            .map(|error| failed(&error.to_string()));
                        break;
                    }
                }
            }
            filtered
        }
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
            at => format!("cannot be read at {at:?}: {wanted} is expected"),
        }
    }

    fn undefined(errors: &compile::Errors<&str, ()>) -> String {
        let first = errors.iter().flat_map(|(_, errors)| errors).next();
        match first {
            Some((name, kind)) => format!("uses {name:?}, and there is no such {}", kind.as_str()),
            None => "cannot be run".to_owned(),
        }
    }
}

#[cfg(not(feature = "jq"))]
mod without {
    use super::{CliError, Filtered, Value, refused};

    /// What a build without jq knows of an expression: nothing.
    #[derive(Debug)]
    pub enum Filter {}

    impl Filter {
        /// Refuses.
        pub fn parse(expression: &str) -> Result<Self, CliError> {
            Err(refused(
                expression,
                "cannot be run: this program was built without the feature jq",
            ))
        }

        /// Never called: there is no filter.
        pub fn run(&self, _result: &Value) -> Filtered {
            match *self {}
        }
    }
}

//! A noun whose verbs the parser learns only when the noun is typed: most of a start would go into the others.

use clap::builder::Resettable;
use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};

/// The verbs of such a noun.
#[derive(Debug)]
pub struct Deferred<T>(pub T);

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Subcommand> Subcommand for Deferred<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(with_verbs::<T>)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// The noun's own sentence stays: what is written above the verbs explains the code.
fn with_verbs<T: Subcommand>(noun: Command) -> Command {
    let about = noun.get_about().cloned();
    let long_about = noun.get_long_about().cloned();
    let noun = T::augment_subcommands(noun);
    noun.about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

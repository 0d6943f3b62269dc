//! `secmon-contract`: see [`secmon_contract_tests::program`].

use std::process::ExitCode;

fn main() -> ExitCode {
    secmon_contract_tests::program::main()
}

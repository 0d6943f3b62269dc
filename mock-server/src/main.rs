//! The mock server as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    secmon_mock::command_line::main()
}

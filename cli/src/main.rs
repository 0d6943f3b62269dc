//! The program `secmon`.

fn main() -> std::process::ExitCode {
    secmon_cli::main()
}

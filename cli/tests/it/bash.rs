//! Completion as Bash asks for it.

use crate::shell::{Shell, account, finished, provision};
use std::process::Command;

/// What Bash offers for a line with the cursor at its end, cut into words as Bash cuts it.
fn offered(shell: &Shell, line: &str, words: &[&str]) -> String {
    let script = shell.line("completion bash").exits(0).stdout;
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let ask = format!(
        "compopt() {{ :; }}\nsecmon() {{ '{}' \"$@\"; }}\n{script}\nCOMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\nCOMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9\n_secmon_whole_words secmon \"${{COMP_WORDS[COMP_CWORD]}}\" ''\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        env!("CARGO_BIN_EXE_secmon"),
        words.join(" ")
    );
    let program = shell.command(&[]);
    let mut command = Command::new("bash");
    let variables = program.get_envs();
    command
        .args(["-c", &ask])
        .current_dir(shell.path(""))
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))));
    finished(command).stdout
}

#[test]
fn bash_completes_words_with_colons_and_equals_signs() {
    if Command::new("bash").arg("--version").output().is_err() {
        return;
    }
    let shell = Shell::of(&account());
    for address in ["2001:db8::7", "2001:db8::8"] {
        provision(&shell, address, "web");
    }
    shell.line("endpoint list").exits(0);
    shell.file("servers.csv", "");
    for (line, words, wanted) in [
        (
            "secmon endpoint show 2001:db8::",
            ["secmon", "endpoint", "show", "2001", ":", "db8", "::"].as_slice(),
            "7\n8\n",
        ),
        (
            "secmon endpoint show 2001:d",
            &["secmon", "endpoint", "show", "2001", ":", "d"],
            "db8::7\ndb8::8\n",
        ),
        (
            "secmon provision --file=ser",
            &["secmon", "provision", "--file", "=", "ser"],
            "servers.csv\n",
        ),
        (
            "secmon provision --file=",
            &["secmon", "provision", "--file", "="],
            ".\nservers.csv\n",
        ),
        (
            "secmon endpoint list --output=js",
            &["secmon", "endpoint", "list", "--output", "=", "js"],
            "json\njsonl\n",
        ),
        (
            "secmon endpoint ren",
            &["secmon", "endpoint", "ren"],
            "rename\n",
        ),
    ] {
        let offered = offered(&shell, line, words);
        assert_eq!(offered.trim_end(), wanted.trim_end(), "{line}");
    }
}

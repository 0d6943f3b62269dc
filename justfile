# The commands of this project, each with what it is for: `just --list`. Everything here can be typed without just.

# Format, lint and test: what to do before every commit
check: format lints text tests

# All that decides whether a change lands, or the steps that are named; on Debian it installs what it lacks
ci *steps:
    .ci/run {{steps}}

# Is the code formatted?
format:
    cargo fmt --all --check

# Lints of all targets
lints:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Spelling, links, manifests, scripts, workflows, and what the documentation names
text:
    .ci/run text

# All tests
tests:
    cargo test --workspace --locked

# The documentation of the crates, which must have no warning
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Does a dependency ask for a newer compiler than we declare?
rust-version:
    .ci/rust-version.py

# Licences, duplicates, advisories and sources of the dependencies (needs cargo-deny)
deny:
    cargo deny check

# Do the notices name every crate that is linked? `just licences --write` writes them anew (needs cargo-about)
licences *arguments:
    .ci/licences.py {{arguments}}

# Is the client's public API as sdk/public-api.txt says? `just public-api --write` accepts a change (needs cargo-public-api)
public-api *arguments:
    .ci/public-api.sh {{arguments}}

# Lint the client with every combination of its features (needs cargo-hack)
features:
    cargo hack clippy -p secmon --feature-powerset --skip default --locked -- -D warnings

# Change one thing at a time, and see which tests notice; takes hours and can be resumed (needs cargo-mutants)
mutants *arguments:
    .ci/mutants.sh {{arguments}}

# Random schedules of two people at the command line, so many for each of four tests: `just schedules 5000`
schedules count:
    SECMON_SCHEDULES={{count}} cargo test -p secmon-cli --locked schedules

# Feed arbitrary bytes to the readers of foreign text, so many minutes each: `just fuzz 15` (needs nightly and cargo-fuzz)
fuzz *arguments:
    .ci/fuzz.sh {{arguments}}

# Attack the mock from outside: `just attack all`, `just attack soak --minutes 60`
attack *arguments:
    cargo build --release --locked --bin secmon-mock --bin secmon-attack
    target/release/secmon-attack {{arguments}}

# Hold a running mock against its description with schemathesis
schemathesis *arguments:
    .ci/schemathesis.sh {{arguments}}

# Lint the description, and generate and run clients of three languages
description:
    .ci/description.sh

# Generate, compile and run clients with all generators, or with those that are named
generators *names:
    .ci/generators.sh {{names}}

# Follow the guides word by word: `just guides docs/tour.md` (needs curl, jq, Go, Node, PHP, and the programs in target/release)
guides *arguments:
    .ci/guides.py {{arguments}}

# The pytest plugin and the Node helper, against target/release/secmon-mock
helpers:
    .ci/test-helpers.sh

# Open the page of `secmon report` in a headless Chromium (needs target/release/secmon)
report-page:
    .ci/report-page.sh

# Accept changed pages of help and transcripts; read the difference before you commit it
accept:
    INSTA_UPDATE=always cargo test -p secmon-cli --test it help
    INSTA_UPDATE=always cargo test -p secmon-contract-tests

# Figures of the client, the command line, the mock and its reader of firewall dumps
figures:
    cargo bench -p secmon --profile dist --bench call
    cargo bench -p secmon-cli --profile dist-cli --bench figures
    cargo bench -p secmon-mock --profile dist --bench figures
    cargo bench -p secmon-engine --profile dist --bench dumps

# The archive of a release for this computer's platform, and SHA256SUMS, in target/package
package:
    .ci/package-archive.py

# Debian packages from that archive's content, in target/package
debian: package
    .ci/package-debian.sh

# npm packages of both programs, from that archive's content (needs npm)
npm: package
    .ci/package-npm.py

# Python wheels of both programs (needs maturin)
wheels:
    .ci/package-wheels.sh

# The mock as a container image (`just image docker` where there is no podman)
image container="podman":
    {{container}} build --file Containerfile --tag secmon-mock .

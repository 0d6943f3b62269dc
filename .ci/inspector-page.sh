#!/usr/bin/env bash
# Drives the inspector page of the mock in a headless Chromium. SECMON_MOCK and SECMON name the programs, and SCREENSHOTS
# a folder for what was seen; Debian's package chromium has the browser.
set -euo pipefail
cd "$(dirname "$0")/.."
SECMON=$(realpath "${SECMON:-target/release/secmon}")
CHROMIUM=$(command -v chromium || command -v chromium-browser)
export SECMON CHROMIUM
npm ci --prefix mock-server/page-test --no-audit --no-fund --loglevel=error
"${SECMON_MOCK:-target/release/secmon-mock}" exec --fixtures mock-server/fixtures.toml --rate-limit off -- \
  node mock-server/page-test/inspector.mjs

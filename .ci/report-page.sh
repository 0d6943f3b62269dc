#!/usr/bin/env bash
# Opens the page of `secmon report` in a headless Chromium: at two widths nothing may stick out, no script may run, and
# on paper every page must have something. SECMON names the program; Debian's package chromium has the browser.
set -euo pipefail
cd "$(dirname "$0")/.."
secmon=$(realpath "${SECMON:-target/release/secmon}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache

local_mock() { "$secmon" --local -q "$@" >/dev/null; }
hostile='"><script>document.title="owned"</script><img src=x onerror=console.error("owned")>'
local_mock provision 203.0.113.10 203.0.113.11 203.0.113.12 -c 42 --wait
local_mock endpoint rename 203.0.113.10 "$hostile"
local_mock endpoint suspend 203.0.113.12
local_mock rules add 203.0.113.11 22/tcp -m "$hostile" --expires 5d
local_mock subscription set 501 -c 42 --product domain_monitoring --quantity 2
local_mock provision --domain shop.example.com "$(printf 'long.%.0s' {1..20})example.com" -c 42 --service 501
local_mock report -c 42 --html "$work/report.html"

cat > "$work/frame.html" <<'PAGE'
<!doctype html><body><script>
addEventListener("load", async () => {
  const seen = [];
  for (const width of [1000, 500]) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:800px;border:0`;
    frame.src = "report.html";
    document.body.append(frame);
    await new Promise((loaded) => (frame.onload = loaded));
    const page = frame.contentDocument;
    const room = page.documentElement.clientWidth;
    const wide = [...page.querySelectorAll("body *")].filter((part) => part.getBoundingClientRect().right > room + 1);
    const far = page.querySelectorAll("[src], [href], script, link").length;
    seen.push(`${width}: ${wide.length} too wide, ${far} from elsewhere, title ${page.title}`);
  }
  const told = document.createElement("pre");
  told.textContent = seen.join("; ");
  document.body.append(told);
});
</script></body>
PAGE

browser=$(command -v chromium || command -v chromium-browser)
look() { "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" "$@" 2>"$work/log"; }
seen=$(look --allow-file-access-from-files --virtual-time-budget=10000 --enable-logging=stderr \
  --dump-dom "file://$work/frame.html" | sed -n 's:.*<pre>\(.*\)</pre>.*:\1:p')
echo "$seen"
title="title Security report for customer 42"
[ "$seen" = "1000: 0 too wide, 0 from elsewhere, $title; 500: 0 too wide, 0 from elsewhere, $title" ]
if grep CONSOLE "$work/log"; then echo "the page has script errors"; exit 1; fi
look --no-pdf-header-footer --print-to-pdf="$work/report.pdf" "file://$work/report.html"
pages=$(grep -ac '/Type */Page\b' "$work/report.pdf")
echo "$pages pages on paper"
[ "$pages" -ge 1 ] && [ "$pages" -le 3 ]

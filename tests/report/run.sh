#!/bin/sh
# Opens the reports in a browser and holds their numbers against the JSON form, and that against its schema:
#   tests/report/run.sh target/release/amidst
. "$(dirname "$0")/../binary.sh"
venv=$("$root/tests/venv.sh" report "$here/requirements.txt")

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing Chromium from Debian's packages"
    { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } > /dev/null 2>&1 || true
    browser=$(command -v chromium || true)
fi
if [ -z "$browser" ]; then
    echo "SKIPPED: there is no Chromium, so the reports are not opened in a browser; install it to have them checked" >&2
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
"$venv/bin/python" "$here/check.py" "$binary" "$folder" "$browser"

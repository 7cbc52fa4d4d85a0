#!/bin/sh
# Lets pycanon, which shares no code with amidst, judge releases that amidst makes:
#   tests/pycanon/run.sh target/release/amidst
. "$(dirname "$0")/../binary.sh"
venv=$("$root/tests/venv.sh" pycanon "$here/requirements.txt")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
"$venv/bin/python" "$here/check.py" "$binary" "$folder"

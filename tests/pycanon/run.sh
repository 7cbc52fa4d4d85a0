#!/bin/sh
# Lets pycanon, which shares no code with amidst, judge releases that amidst makes:
#   tests/pycanon/run.sh target/release/amidst
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 BINARY" >&2
    exit 2
fi
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$("$root/tests/venv.sh" pycanon "$here/requirements.txt")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
"$venv/bin/python" "$here/check.py" "$binary" "$folder"

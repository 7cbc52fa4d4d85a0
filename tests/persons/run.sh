#!/bin/sh
# Counts the persons in releases that amidst makes, with a script that shares no code with it:
#   tests/persons/run.sh target/release/amidst
# AMIDST_ALL_CASES=1 tries every combination of partitioners, forms and models instead of every pair.
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 BINARY" >&2
    exit 2
fi
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$here/../.."
python3 "$here/check.py" "$binary" "$folder"
python3 "$here/linked.py" "$binary" "$folder"
python3 "$here/tables.py" "$binary" "$folder"
python3 "$here/households.py" "$binary"

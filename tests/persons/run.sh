#!/bin/sh
# Counts the persons in releases that amidst makes, with a script that shares no code with it:
#   tests/persons/run.sh target/release/amidst
# AMIDST_ALL_CASES=1 tries every combination of partitioners, forms and models instead of every pair.
. "$(dirname "$0")/../binary.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
python3 "$here/check.py" "$binary" "$folder"
python3 "$here/linked.py" "$binary" "$folder"
python3 "$here/tables.py" "$binary" "$folder"
python3 "$here/households.py" "$binary"

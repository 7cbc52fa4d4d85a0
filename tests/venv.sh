#!/bin/sh
# Makes a virtual environment below target/ where there is none with these requirements yet, and prints its folder:
#   venv=$(tests/venv.sh NAME requirements.txt)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/target/$1-venv
# The copy is written last, so an installation that was cut short is made anew.
if ! cmp -s "$2" "$venv/installed.txt"; then
    python3 -m venv --clear "$venv" >&2
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r "$2" >&2
    cp "$2" "$venv/installed.txt"
fi
echo "$venv"

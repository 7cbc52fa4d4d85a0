#!/usr/bin/env bash
# Mutates the library and counts who notices: first the scenarios, which are quick, then for what they miss all tests of the library.
# `tests/mutants/run.sh 0/8` takes an eighth of the mutants (0/8 to 7/8), `STAGES=1` only the scenarios. Needs cargo-mutants
# (cargo install cargo-mutants --locked). The first stage takes some seconds of processor time for each of about 1,150 mutants, the
# second some minutes for each that is left.
set -uo pipefail
cd "$(dirname "$0")/../.."
shard=${1:-0/1}
output=target/mutation/${shard/\//-of-}
mkdir -p "$output"
# The libraries that all mutants use are built once.
export CARGO_TARGET_DIR=$PWD/target

# 2: mutants were missed, 3: some took too long; both are what is counted here. Others are mistakes.
counted() { [ "$1" -eq 0 ] || [ "$1" -eq 2 ] || [ "$1" -eq 3 ] || { echo "cargo mutants ended with $1" >&2; exit 1; }; }

# cargo-mutants would try the unchanged sources with the tests of the mutated package, so that is done here.
cargo test --quiet --profile mutants --package amidst-trials --test scenarios || exit 1
cargo mutants --output "$output/scenarios" --shard "$shard" --sharding round-robin --jobs 1 --no-shuffle --baseline skip --timeout 300
counted $?
if [ "${STAGES:-2}" -ge 2 ]; then
    mapfile -t missed < <(python3 tests/mutants/table.py --missed "$output")
    if [ ${#missed[@]} -gt 0 ]; then
        cargo mutants --config tests/mutants/whole.toml --output "$output/tests" --jobs 1 --no-shuffle "${missed[@]/#/--re=}"
        counted $?
    fi
fi
python3 tests/mutants/table.py "$output"

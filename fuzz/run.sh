#!/usr/bin/env bash
# Fuzzes every target for so many seconds, one after the other, and fails where one crashes. `fuzz/run.sh 60 csv cells` takes only
# those. Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz --locked).
#
# New inputs are kept in fuzz/corpus, so a later run goes on where this one ended; what crashed lies in fuzz/artifacts. Put that into
# fuzz/seeds once it is mended: `cargo test` replays the seeds.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?how many seconds for each target?}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)

# Most of the code is safe Rust, so what counts are panics and what the targets check: no sanitizer, which would slow them down.
build=(--sanitizer none)
cargo +nightly fuzz build "${build[@]}"
failed=()
printf '%-10s %12s %9s %7s %7s  %s\n' target inputs per_s cov ft crashed
for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    log=$(mktemp)
    crashed=no
    cargo +nightly fuzz run "${build[@]}" "$target" "corpus/$target" "seeds/$target" -- \
        -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 >"$log" 2>&1 || crashed=yes
    number() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
    last() { sed -n "s/.* $1: \([0-9]*\).*/\1/p" "$log" | tail -1; }
    printf '%-10s %12s %9s %7s %7s  %s\n' \
        "$target" "$(number number_of_executed_units)" "$(number average_exec_per_sec)" "$(last cov)" "$(last ft)" "$crashed"
    if [ "$crashed" = yes ]; then
        failed+=("$target")
        tail -40 "$log" >&2
    fi
    rm -f "$log"
done
[ ${#failed[@]} -eq 0 ] || { echo "crashed: ${failed[*]}; the inputs are in fuzz/artifacts" >&2; exit 1; }

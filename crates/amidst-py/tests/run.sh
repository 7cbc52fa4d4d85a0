#!/bin/sh
# Puts the package into a venv of its own, as `maturin develop` does but with the module that the workspace has built, and runs its tests:
#   crates/amidst-py/tests/run.sh target/debug/amidst
. "$(dirname "$0")/../../../tests/binary.sh"
export AMIDST="$binary"
package=$(dirname "$here")
venv=$("$root/tests/venv.sh" python "$here/requirements.txt")

# With the whole workspace, because a package on its own has other features, and the library would be compiled again.
(cd "$root" && cargo build --workspace --lib)
cp "${CARGO_TARGET_DIR:-$root/target}/debug/lib_native.so" "$package/python/amidst/_native.abi3.so"
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$package/python" > "$site/amidst.pth"

cd "$package"
"$venv/bin/maturin" pep517 write-dist-info --metadata-directory "$site" > /dev/null
"$venv/bin/python" -m mypy
"$venv/bin/python" -m mypy.stubtest amidst._native --ignore-disjoint-bases
SCIPY_ARRAY_API=1 "$venv/bin/python" -m pytest tests # with the check of scikit-learn that is skipped without it
"$venv/bin/python" -m pytest -p tests.conftest --doctest-modules python/amidst

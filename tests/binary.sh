# How the scripts that try a binary begin; they read it with `.`. Checks that they got one, and sets `binary` to its full path, `here` to the
# folder of the script and `root` to that of the project.
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 BINARY" >&2
    exit 2
fi
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$here
while [ ! -f "$root/Cargo.lock" ]; do
    root=$(dirname "$root")
done

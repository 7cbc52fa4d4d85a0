#!/bin/sh
# Installs strace from Debian's packages where it is missing and may be installed. Tests that need it say so when they skip.
set -eu

if ! command -v strace > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing strace from Debian's packages"
    { apt-get update && apt-get install --yes --no-install-recommends strace; } > /dev/null 2>&1 || true
fi

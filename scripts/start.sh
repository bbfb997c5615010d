#!/bin/sh
# Sets NeoCode up if need be, then starts it in the current folder: sh scripts/start.sh [ARGUMENTS]
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
[ -e "$home/.venv/neocode-setup" ] || sh "$home/scripts/setup.sh"
exec "$home/.venv/bin/neocode" "$@"

#!/bin/sh
# Makes .venv beside the sources with NeoCode and the extras named: sh scripts/setup.sh [EXTRAS]
# Does nothing when it is there already and neither pins nor extras changed.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "NeoCode needs Python 3.11 or newer. Name one: PYTHON=python3.12 sh $0" >&2
    exit 1
}
if ! "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian keeps these two modules in a package of their own
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
    else
        echo "Python's venv module is missing. On Debian: sudo apt-get install python3-venv" >&2
        exit 1
    fi
fi
[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
want="${1:-} $(cat pyproject.toml constraints.txt | cksum)"
if [ "$(cat .venv/neocode-setup 2>/dev/null || true)" != "$want" ]; then
    echo "Setting up .venv: once, a minute or two ..." >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
        -c constraints.txt -e ".${1:+[$1]}"
    echo "$want" > .venv/neocode-setup
fi

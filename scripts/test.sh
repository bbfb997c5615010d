#!/bin/sh
# Sets up if need be, then runs every check: sh scripts/test.sh [PYTEST ARGUMENTS]
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh dev
PATH="$PWD/.venv/bin:$PATH"
export PATH
ruff check .
ruff format --check --quiet .
mypy
lint-imports
# the order of tests is shuffled, in CI by the same seed each time
exec pytest -q -n "${NEOCODE_TEST_JOBS:-2}" ${CI:+-p "randomly" --randomly-seed=20261130} "$@"

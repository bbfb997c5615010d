"""What holds for every test."""

import os

from hypothesis import settings

# A change must not fail for what chance draws on that day: in CI the examples are the same each
# time. Elsewhere they are new ones, and what they find becomes a test of its own.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

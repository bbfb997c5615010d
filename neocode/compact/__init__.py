"""The heart: plan, request, validation and swap of a compaction."""

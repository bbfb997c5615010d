"""Layers of YAML and environment become one checked Config."""

"""Layouts: from ids and sizes to positions; deterministic."""

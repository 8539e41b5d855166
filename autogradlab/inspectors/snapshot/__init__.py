"""Snapshots: facts about live tensors, graphs and memory as frozen data, read from public attributes only."""

"""How operations are recorded as Nodes: what is saved, views, and what in-place operations do to the history."""

"""How operations leave Nodes behind: what is saved, views, in-place changes of history."""

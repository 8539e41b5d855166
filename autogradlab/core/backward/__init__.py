"""The backward walk over the graph, and everything that happens at a Node or a leaf on the way."""

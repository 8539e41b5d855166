"""Of what a graph consists: Nodes, edges, hooks."""

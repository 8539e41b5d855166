"""What a graph consists of: Nodes, edges and hooks."""

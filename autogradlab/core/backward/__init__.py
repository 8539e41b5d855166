"""The walk back over the graph, and all that happens at each Node and leaf."""

"""Cards: from facts to what an inspector shows, one module for each call."""

"""The op table: how one entry becomes a function, a method, in-place and out= forms, and a Node."""

"""The state of the process and of its threads: modes, switches, warnings, and the words of errors."""

"""The state of the process and its threads: modes, switches, warnings, and the texts of errors."""

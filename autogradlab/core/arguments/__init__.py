"""How the arguments of a call are read: signatures, parameters, and what is said when none fits."""

"""How the arguments of a call are read: signatures, parameters, and the error when none fits."""

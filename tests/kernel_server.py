"""Forks Jupyter kernels for `tests/kernels.py`: a program that imports once what every kernel imports from elsewhere.

A request is a JSON object on the socket whose number is the first argument; the answer is the number of the process.
What else is to be imported stands in the second argument, with commas. The end of the socket is the end of the server,
and of its kernels, which look after their parent.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import signal
import socket
import sys
import time
from typing import Any

#: what a kernel imports sooner or later; pyplot is none of it, since it looks for the shell that will show its pictures
COMMON = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.datapub",
    "ipykernel.debugger",
    "numpy",
    "ml_dtypes",
    "ipywidgets",
    "anywidget",
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "matplotlib.image",
    "matplotlib.style",
)
#: what ipykernel sets for matplotlib, which reads it when it is imported
INLINE = "module://matplotlib_inline.backend_inline"


def kernel(asked: dict[str, Any], imported: dict[str, str]) -> None:
    """What `python -m ipykernel_launcher` does, in the process that was forked for it.

    imported: variables that the imports have set.
    """
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update({**imported, **asked["env"]})
    time.tzset()
    os.chdir(asked["cwd"])
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, *asked["quiet"]):
        os.dup2(null, number)
    os.close(null)
    found = importlib.util.find_spec("ipykernel_launcher")
    sys.argv = [str(found.origin if found else ""), *asked["argv"]]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def reap(*_: object) -> None:
    """Let go of the kernels that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main() -> None:
    number, more = sys.argv[1:]
    del sys.path[0]  # the folder it is started in, as ipykernel_launcher does
    channel = socket.socket(fileno=int(number))
    channel.set_inheritable(False)
    before = {*os.environ, "MPLBACKEND"}  # a kernel sets that one itself
    os.environ.setdefault("MPLBACKEND", INLINE)
    for name in (*COMMON, *filter(None, more.split(","))):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    imported = {name: value for name, value in os.environ.items() if name not in before}
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, reap)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while request := channel.recv(1 << 20):
        made = os.fork()
        if not made:
            channel.close()
            kernel(json.loads(request), imported)
            return
        with contextlib.suppress(OSError):
            os.setpgid(made, made)
        channel.send(str(made).encode())


if __name__ == "__main__":
    main()

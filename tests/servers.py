"""Servers that tests and benchmarks start beside themselves."""

from __future__ import annotations

import socket
import subprocess

__all__ = ["free_port", "stop"]


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stop(server: subprocess.Popen[bytes], seconds: float) -> None:
    """Ask a server to end, and make it end if it has not within so many seconds."""
    server.terminate()
    try:
        server.wait(seconds)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()

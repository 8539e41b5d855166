"""The forked kernels of `tests/kernels.py` as jupyter_client asks for them."""

from __future__ import annotations

from typing import Any

from jupyter_client.provisioning import LocalProvisioner

from tests.kernels import forked


class Provisioner(LocalProvisioner):
    """Forks a kernel where that can be done, and launches it otherwise."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        made = forked(cmd, LocalProvisioner._scrub_kwargs(kwargs))
        if made is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid = made, made.pid, made.pid
        self.cwd = kwargs.get("cwd")
        return self.connection_info

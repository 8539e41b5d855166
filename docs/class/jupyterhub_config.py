"""autogradlab for a class on one machine: the whole configuration of JupyterHub.  CLASS_PASSWORD=... jupyterhub

Run as root on a machine of its own (a virtual machine, a container): each learner is a system user, made at the first
login.  Only the names of SEATS can log in, so nobody can log in as a user the system had before.
"""

import asyncio
import os
import pwd

from autogradlab.lab.opening import SETTINGS

SEATS = {f"learner{n:02}" for n in range(1, int(os.environ.get("CLASS_SIZE", 30)) + 1)}

c = get_config()  # noqa: F821  # JupyterHub gives it
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = os.environ["CLASS_PASSWORD"]
c.Authenticator.allowed_users = SEATS


async def seat(spawner):
    """At each start of a server: the system user, once; the browser's language chooses lessons and JupyterLab's own."""
    try:
        pwd.getpwnam(spawner.user.name)
    except KeyError:
        make = await asyncio.create_subprocess_exec(
            "useradd", "--create-home", "--key", "HOME_MODE=0700", "--shell", "/bin/bash", spawner.user.name
        )
        await make.wait()
    accepted = spawner.handler.request.headers.get("Accept-Language", "") if spawner.handler else ""
    language = "zh" if accepted.lower().startswith("zh") else "en"
    spawner.default_url = f"/lab/tree/{language}/00-welcome.ipynb"
    # JupyterLab without its news, in Chinese where the browser is; what a learner sets there stays.
    spawner.environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(str(SETTINGS / name) for name in ("all", language))


c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.pre_spawn_hook = seat
c.Spawner.notebook_dir = "~/autogradlab-lessons"
# As the learner: lay the lessons out (never overwrites), then the server.  --data is what one process may allocate.
LIGHT = 'python -P "$(python -c "from autogradlab.lab import light; print(light.__file__)")"'  # 16 MB and a second less
LAY_OUT = f'autogradlab lessons copy --dir ~/autogradlab-lessons && exec {LIGHT} jupyterhub.singleuser "$@"'
c.Spawner.cmd = ["prlimit", "--data=1500000000", "sh", "-c", LAY_OUT, "sh"]
c.Spawner.args = [
    "--LabApp.extension_manager=readonly",
    "--MappingKernelManager.cull_idle_timeout=2400",  # a kernel at rest for 40 minutes goes, its tab open or not
    "--MappingKernelManager.cull_connected=True",
    "--MappingKernelManager.cull_interval=120",
    "--ServerApp.shutdown_no_activity_timeout=3600",  # a server without kernels and visitors ends itself
]
c.Spawner.environment = {"OPENBLAS_NUM_THREADS": "1"}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # a whole class logs in at once

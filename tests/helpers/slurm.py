"""A real SLURM of one node on the loopback address, started for a test and stopped after it. Needs root."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=1
MinJobAge=2
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP
"""


def is_here():
    return os.name == "posix" and os.geteuid() == 0 and all(map(shutil.which, PROGRAMS))


@contextmanager
def running(folder, cpus=2):
    """SLURM under a folder with a short path; yields the environment in which its commands find it."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    host = socket.gethostname().split(".")[0]
    text = CONFIGURATION.format(folder=folder, host=host, user=getpass.getuser(), ports=_free_ports(2), cpus=cpus)
    (folder / "slurm.conf").write_text(text)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    key = folder / "munge.key"
    key.write_bytes(os.urandom(64))
    key.chmod(0o400)
    folder.chmod(0o755)
    files = {"socket": "munge.socket", "pid-file": "munge.pid", "log-file": "munge.log", "seed-file": "munge.seed"}
    munged = ["munged", "--foreground", "--force", f"--key-file={key}"]
    munged += [f"--{option}={folder / name}" for option, name in files.items()]
    started = []
    try:
        for command in (munged, ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            started.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            time.sleep(0.5)
        _wait_for_node(environment)
        yield environment
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=20)


def flags(jobs):
    """Options of a command that computes in jobs of this SLURM."""
    options = {"interface": "lo", "memory": "1GB", "log_directory": "log", "local_directory": "local"}
    return [
        "--slurm",
        str(jobs),
        *(word for key, value in options.items() for word in ("--slurm-option", f"{key}={value}")),
    ]


def jobs(environment):
    """Return the numbers of all jobs."""
    listed = subprocess.run(["squeue", "-h", "-o", "%i"], env=environment, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def _wait_for_node(environment, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment, capture_output=True, text=True)
        if found.stdout.strip() == "idle":
            return
        time.sleep(0.3)
    raise RuntimeError(f"SLURM's node did not come up: {found.stdout} {found.stderr}")


def _free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports

"""Kernels that begin at once: forks of a process that has imported what lakeview needs, but not lakeview.

Lab starts this file as it starts any kernel. It asks the process that forks for one, hands on the signals that Lab
sends, and ends when the kernel ends, as the kernel does when this one is killed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

SOCKET = "LAKEVIEW_TESTS_KERNELS"  # the variable that says where the process that forks is asked
IMPORTED = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipywidgets", "anywidget", "pandas", "pyarrow.compute", "pyarrow.csv",
    "pyarrow.dataset", "pyarrow.parquet", "numba", "scipy.special", "xxhash", "psutil",
)  # fmt: skip


def kernelspec(python: str) -> str:
    """What Lab has to know of these kernels, as JSON."""
    argv = [python, "-I", "-S", __file__, "{connection_file}"]
    return json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"})


def main(connection_file: str) -> None:
    """Have a kernel forked, and wait for its end."""
    with socket.socket(socket.AF_UNIX) as kernel:
        kernel.connect(os.environ[SOCKET])
        asked = {"connection_file": connection_file, "folder": os.getcwd(), "env": dict(os.environ)}  # noqa: PTH109
        kernel.sendall(json.dumps(asked).encode() + b"\n")
        process = int(kernel.recv(20))
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda number, _: os.kill(process, number))
        kernel.recv(1)


def serve(path: str) -> None:
    """Fork a kernel for each who asks at a socket there."""
    import gc

    del sys.path[0]  # where this file lies
    os.environ["JPY_PARENT_PID"] = "1"  # read at import; or each kernel would look whether Lab is its parent
    for module in IMPORTED:
        __import__(module)
    gc.freeze()  # forks share what is there
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    with socket.socket(socket.AF_UNIX) as asking:
        asking.bind(path)
        asking.listen()
        while True:
            asker, _ = asking.accept()
            if os.fork() == 0:
                asking.close()
                return become_kernel(asker)
            asker.close()


def become_kernel(asker: socket.socket) -> None:
    """Be the kernel that is asked for, until it ends or who asked for it does."""
    import threading

    from ipykernel.kernelapp import IPKernelApp

    def watch() -> None:
        asker.recv(1)
        os._exit(1)

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked = json.loads(asker.makefile().readline())
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["folder"])
    asker.sendall(str(os.getpid()).encode())
    threading.Thread(target=watch, daemon=True).start()
    IPKernelApp.launch_instance(["-f", asked["connection_file"]])


if __name__ == "__main__":
    (serve if sys.argv[1] == "--serve" else main)(sys.argv[-1])

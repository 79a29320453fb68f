"""Processes that end with the one that started them, however that one ends and whatever they are at."""

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from multiprocessing.process import BaseProcess

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_LOOKS = 0.5  # seconds between two looks whether the parent is there


def end_with_parent(parent: int) -> None:
    """Have this process ended when the one that started it ends; at once where it has ended already.

    On Linux the kernel does that when the *thread* that started it ends: that should be one that waits for it.
    Elsewhere a thread of this process looks.

    Args:
        parent: its process id.
    """
    _leave_interrupts_to_the_parent()
    if not _killed_with_parent():
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if sys.platform != "win32" and os.getppid() != parent:
        os._exit(1)


def end_with_build() -> None:
    """Have this process of a `multiprocessing` pool ended when the one that uses the pool ends.

    A fork server stands between the two. It ends with the one that uses the pool, as soon as no other process holds the
    pipe by which it knows; each process of the pool is given that pipe, and lets it go here.
    """
    _leave_interrupts_to_the_parent()
    _killed_with_parent()
    if sys.platform != "win32":
        from multiprocessing.forkserver import _forkserver

        held = getattr(_forkserver, "_forkserver_alive_fd", None)
        if held is not None:
            os.close(held)
            _forkserver._forkserver_alive_fd = None  # type: ignore[attr-defined]
    build = multiprocessing.parent_process()
    if build is not None:
        threading.Thread(target=_end_after, args=(build,), daemon=True).start()


def _leave_interrupts_to_the_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; what becomes of the others, the first one decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _killed_with_parent() -> bool:
    """Ask the kernel; whether it does so."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL) == 0)


def _end_after(build: BaseProcess) -> None:
    build.join()
    os._exit(1)


def _watch(parent: int) -> None:
    while sys.platform == "win32" or os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)

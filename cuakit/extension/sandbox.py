"""What a worker gives up before it reads a network: the net, other programs, writing files, memory without end.

Each protection is tried and those in force are named; the other side decides whether they suffice. On Linux the kernel
enforces them (a network namespace, seccomp, Landlock). Elsewhere only the interpreter watches, which stops Python code
and not a fault in a native library.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from typing import Any, Final, NoReturn

NO_NETWORK: Final = frozenset({"network-namespace", "seccomp"})
"""Protections each of which takes the network away by the kernel."""

_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_LANDLOCK: Final = (444, 446)  # create_ruleset, restrict_self; the same numbers on every architecture
_WRITES: Final = sum(1 << bit for bit in (1, *range(4, 13)))  # write a file; remove and make of every kind (ABI 1)

# Per machine: AUDIT_ARCH, then the numbers of socket, socketpair, connect, bind, execve, execveat, ptrace,
# process_vm_readv, process_vm_writev, io_uring_setup (which can make sockets), bpf, mount, unshare, setns, kill, tkill,
# tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal, pidfd_getfd.
_CALLS: Final = {
    "x86_64": (
        0xC000003E,
        (41, 53, 42, 49, 59, 322, 101, 310, 311, 425, 321, 165, 272, 308, 62, 200, 234, 129, 297, 424, 438),
    ),
    "aarch64": (
        0xC00000B7,
        (198, 199, 203, 200, 221, 281, 117, 270, 271, 425, 280, 40, 97, 268, 129, 130, 131, 138, 240, 424, 438),
    ),
}


def enter(memory_mb: int) -> tuple[str, ...]:
    """Give up what can be given up; to be called while there is one thread.

    Args:
        memory_mb: Most address space in MiB.

    Returns:
        Names of the protections in force.
    """
    done = ["memory-limit"] if _limit(memory_mb) else []
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        done += [
            name
            for name, take in (
                ("network-namespace", lambda: _no_net(libc)),
                ("no-new-privileges", lambda: libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0),
                ("landlock-no-writes", lambda: _no_writes(libc)),
                ("seccomp", lambda: _no_calls(libc)),
            )
            if take()
        ]
    sys.addaudithook(_watch)
    return (*done, "audit-hook")


def _watch(event: str, _: tuple[Any, ...]) -> None:
    if event in ("socket.__new__", "socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.exec"):
        _refuse(event)


def _refuse(event: str) -> NoReturn:
    raise PermissionError(f"a worker may not do {event}")


def _limit(memory_mb: int) -> bool:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ModuleNotFoundError:
        return False
    for kind, most in (
        (resource.RLIMIT_AS, memory_mb << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 1 << 20),
    ):
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):
            return False
    return True


def _no_net(libc: Any) -> bool:
    """A network namespace of its own, with nothing in it; without root, in a user namespace of its own."""
    return bool(libc.unshare(_CLONE_NEWNET) == 0 or libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0)


def _no_writes(libc: Any) -> bool:
    """Landlock: no file can be written, made or removed from here on."""
    create, restrict = _LANDLOCK
    rules = ctypes.create_string_buffer(struct.pack("=Q", _WRITES))
    fd = libc.syscall(create, rules, ctypes.c_size_t(8), 0)
    if fd < 0:
        return False
    try:
        return bool(libc.syscall(restrict, fd, 0) == 0)
    finally:
        os.close(fd)


def program(machine: str) -> bytes:
    """The seccomp filter as BPF: listed calls and calls of another architecture fail with EPERM, all others pass.

    Args:
        machine: ``x86_64`` or ``aarch64``.
    """
    arch, calls = _CALLS[machine]
    x32 = machine == "x86_64"
    rows = [(0x20, 0, 0, 4), (0x15, 0, len(calls) + x32 + 2, arch), (0x20, 0, 0, 0)]  # load arch, compare, load number
    if x32:
        rows.append((0x35, len(calls) + 1, 0, 0x40000000))  # the numbers of x32 reach the same calls
    rows += [(0x15, len(calls) - i, 0, number) for i, number in enumerate(calls)]
    rows += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001)]  # allow; fail with EPERM
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _no_calls(libc: Any) -> bool:
    """Seccomp: no sockets, no other programs, no looking into other processes and no signals to them."""
    machine = platform.machine()
    if machine not in _CALLS or struct.calcsize("P") != 8:
        return False
    code = program(machine)
    lines = ctypes.create_string_buffer(code)
    head = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(lines)))
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(head), 0, 0) == 0)

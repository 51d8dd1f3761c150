"""The web processes: none outlives the one that forked it, however that ends."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing

import pytest

from api.http_server.processes import listen

COUNT = 3
PROGRAM = f"""
import os, signal
from api.http_server import processes

def work(counts):
    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"told" + bytes([10])))
    os.write(1, b"begun" + bytes([10]))
    while True:
        signal.pause()  # it has answers to finish

processes.run({COUNT}, work)
"""


def test_all_are_told_at_once_that_their_parent_was_killed():
    """Also those that were forked before others, and although the others go on for a while."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(COUNT)] == ["begun\n"] * COUNT
        parent.kill()
        try:
            assert [parent.stdout.readline() for _ in range(COUNT)] == ["told\n"] * COUNT
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


@pytest.mark.parametrize(("host", "asked"), [("::", "127.0.0.1"), ("::", "::1"), ("::1", "::1")])
def test_who_listens_everywhere_hears_everybody(host: str, asked: str):
    """At ``::`` by IPv4 and by IPv6."""
    with closing(listen(host, 0)) as listening:
        socket.create_connection((asked, listening.getsockname()[1]), timeout=5).close()

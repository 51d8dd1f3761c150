"""nginx and Caddy before a server, by the files in ``examples``, without privileges and with certificates of a test."""

import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx

from tests.ports import free_port
from tests.servers.listening_tls import certificate
from tests.servers.served import ending
from tests.waiting import AGES, allowed, comes_true

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
START_SECONDS: Final = 30.0
PATH: Final = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])
"""Where programs are; that of the system's own is left out for most users."""
NGINX: Final = shutil.which("nginx", path=PATH)
CADDY: Final = shutil.which("caddy", path=PATH)
NOBODY: Final = 65_534


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs."""

    port: int
    trusted: ssl.SSLContext
    """Takes its certificate."""

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"https://127.0.0.1:{self.port}"

    def client(self, address: str = "127.0.0.1") -> httpx.Client:
        """Return a client with this *address*."""
        transport = httpx.HTTPTransport(verify=self.trusted, local_address=address)
        return httpx.Client(base_url=self.url, transport=transport, timeout=allowed(AGES), trust_env=False)


def replaced(text: str, values: dict[str, str]) -> str:
    """Return an example with other values, each of which it has."""
    for old, new in values.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx_file(upstream: str, port: int, folder: Path) -> Path:
    """Write the configuration of nginx for *upstream*, host and port; return its file."""
    temporary = " ".join(f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    values = {
        "http {\n": f"http {{\n{temporary}\n",
        "127.0.0.1:8000": upstream,
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen [::]:80;": "",
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen [::]:443 ssl http2;": "",
        "/etc/nginx/regicide.crt": "cert.pem",
        "/etc/nginx/regicide.key": "key.pem",
    }
    file = folder / "nginx.conf"
    file.write_text(replaced((EXAMPLES / "nginx.conf").read_text("utf-8"), values), "utf-8")
    return file


def caddy_file(upstream: str, port: int, folder: Path) -> Path:
    """Write the configuration of Caddy for *upstream*, host and port; return its file."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    values = {
        "\n{\n": f"\n{{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port {free_port()}\n",
        "127.0.0.1:8000": upstream,
        "play.example.org {\n": f"https://127.0.0.1:{port} {{\n\ttls {cert} {key}\n",
    }
    if caddy_version() < (2, 6, 4):
        values["request_buffers 128KiB"] = "buffer_requests"  # as the file itself says
    file = folder / "Caddyfile"
    file.write_text(replaced((EXAMPLES / "Caddyfile").read_text("utf-8"), values), "utf-8")
    return file


def caddy_version() -> tuple[int, ...]:
    """Return the version of the Caddy that is installed."""
    said = subprocess.run([str(CADDY), "version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    assert found is not None, said
    return tuple(map(int, found.groups()))


def nginx_command(file: Path) -> list[str]:
    """Return how nginx is run in the foreground."""
    return [str(NGINX), "-p", str(file.parent), "-c", str(file), "-e", "stderr", "-g", "daemon off; pid nginx.pid;"]


def caddy_command(file: Path) -> list[str]:
    """Return how Caddy is run in the foreground."""
    return [str(CADDY), "run", "--config", str(file), "--adapter", "caddyfile"]


@contextmanager
def before(
    upstream: str, write: Callable[[str, int, Path], Path], command: Callable[[Path], list[str]]
) -> Iterator[Proxy]:
    """Run a proxy before *upstream*, by its example, as nobody; end it with the block."""
    with TemporaryDirectory(prefix="proxy-") as name:
        folder, port = Path(name), free_port()
        cert, _ = certificate(folder)
        environ = {**os.environ, "HOME": name, "XDG_DATA_HOME": name, "XDG_CONFIG_HOME": name}
        log, file = folder / "log", write(upstream, port, folder)
        owner = NOBODY if os.geteuid() == 0 else None
        for path in (folder, *folder.iterdir()):
            if owner is not None:
                os.chown(path, owner, owner)
        with log.open("wb") as said:
            process = subprocess.Popen(command(file), user=owner, group=owner, env=environ, stdout=said, stderr=said)
        proxy = Proxy(port, ssl.create_default_context(cafile=str(cert)))
        with ending(process), proxy.client() as client:
            assert comes_true(lambda: _answers(client), START_SECONDS), log.read_text("utf-8")
            yield proxy


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False

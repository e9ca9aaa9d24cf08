"""A real nginx as a remote cache: WebDAV over TLS, with an authority of its own and a password.

It is Debian's, taken out of its package without being installed: an installed one would serve on port 80 from then on.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

USER, PASSWORD = "builder", "correct horse"
TOKEN = "battery.staple-7"

CONFIG = """
daemon off;
worker_processes 2;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server.key;
        root {folder}/served;
        client_max_body_size 0;
        location / {{
            auth_basic "cache";
            auth_basic_user_file {folder}/passwords;
            dav_methods PUT;
            create_full_put_path on;
        }}
        location /by-token/ {{
            if ($http_authorization != "Bearer {token}") {{ return 401; }}
            dav_methods PUT;
            create_full_put_path on;
        }}
    }}
}}
"""


class Nginx:
    """A running server: its address, what it serves, and the certificate of its authority."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.address = f"https://localhost:{port}"
        self.authority = folder / "authority.pem"

    @property
    def served(self) -> Path:
        return self.folder / "served"

    @property
    def log(self) -> str:
        return (self.folder / "access.log").read_text()

    def environment(self, password: str = PASSWORD) -> dict[str, str]:
        """What a `./doit` needs to use it."""
        address = {"CRATEGRAD_REMOTE": self.address, "CRATEGRAD_REMOTE_CA": str(self.authority)}
        return {**address, "CRATEGRAD_REMOTE_AUTH": f"{USER}:{password}"}

    def environment_with_token(self) -> dict[str, str]:
        """The same, for what it serves to those who bear a token."""
        address = {"CRATEGRAD_REMOTE": f"{self.address}/by-token", "CRATEGRAD_REMOTE_CA": str(self.authority)}
        return {**address, "CRATEGRAD_REMOTE_TOKEN": TOKEN}


@contextmanager
def serving(folder: Path) -> Iterator[Nginx]:
    """An nginx for the time of the block; the test is skipped where there is none to be had."""
    program = _program(folder)
    (folder / "served").mkdir()
    _write_certificates(folder)
    hashed = _openssl("passwd", "-apr1", PASSWORD).strip()
    (folder / "passwords").write_text(f"{USER}:{hashed}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    user = "user root;\n" if Path("/proc/self").stat().st_uid == 0 else ""
    (folder / "nginx.conf").write_text(user + CONFIG.format(folder=folder, port=port, token=TOKEN))
    server = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"])
    try:
        _wait_for(port, server)
        yield Nginx(folder, port)
    finally:
        server.terminate()
        server.wait(20)


def _program(folder: Path) -> Path:
    installed = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if installed:
        return Path(installed)
    for prepare in ([], ["apt-get", "update"]):
        if prepare:
            subprocess.run(prepare, capture_output=True, check=False)
        if subprocess.run(["apt-get", "download", "nginx"], cwd=folder, capture_output=True, check=False).returncode == 0:
            (package,) = folder.glob("nginx_*.deb")
            subprocess.run(["dpkg-deb", "-x", package, folder / "package"], check=True)
            return folder / "package/usr/sbin/nginx"
    pytest.skip("no nginx here, and Debian's package cannot be fetched")


def _write_certificates(folder: Path) -> None:
    key = ["-newkey", "rsa:2048", "-nodes"]
    _openssl(
        "req", "-x509", *key, "-keyout", folder / "authority.key", "-out", folder / "authority.pem", "-subj", "/CN=authority"
    )
    _openssl("req", *key, "-keyout", folder / "server.key", "-out", folder / "server.csr", "-subj", "/CN=localhost")
    (folder / "extensions").write_text("subjectAltName = DNS:localhost\n")
    by = ["-CA", folder / "authority.pem", "-CAkey", folder / "authority.key", "-CAcreateserial"]
    asked = ["-req", "-in", folder / "server.csr", "-extfile", folder / "extensions", "-days", "2"]
    _openssl("x509", *asked, *by, "-out", folder / "server.pem")


def _openssl(*arguments: object) -> str:
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(500):
        assert server.poll() is None, "nginx has ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("nginx does not answer")

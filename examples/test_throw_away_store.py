"""Tests against a store of their own, with pytest and nothing else: pytest examples/test_throw_away_store.py

PETSTORE is the command that runs the store. By default, it is the package that is installed in your project.
"""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import time
import urllib.error
import urllib.request

import pytest

START_SECONDS_MAX = 30


class Store:
    def __init__(self, base, key):
        self.base = base
        self.key = key

    def send(self, method, path, body=None):
        """Returns the status and the JSON of a response."""
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    data = tmp_path_factory.mktemp("petstore")
    command = shlex.split(os.environ.get("PETSTORE", "npx --no-install petstore"))
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", "--no-demo", "--data", str(data)], stdout=subprocess.DEVNULL
    )
    # When the store is ready, it writes its address and its process id to this file.
    address = pathlib.Path(data, "address")
    deadline = time.monotonic() + START_SECONDS_MAX
    while not address.exists():
        assert process.poll() is None and time.monotonic() < deadline, "The store did not start."
        time.sleep(0.02)
    base, pid = address.read_text().split()
    yield Store(base, pathlib.Path(data, "admin-key").read_text().strip())
    # npx does not forward signals, so the signal goes to the store itself.
    os.kill(int(pid), signal.SIGTERM)
    process.wait(timeout=15)


def test_the_last_unit_is_sold_once(store):
    _, category = store.send("POST", "/categories", {"name": "Dogs"})
    _, pet = store.send("POST", "/pets", {"name": "Rex", "categoryId": category["id"]})
    statuses = [store.send("POST", "/store/orders", {"petId": pet["id"]})[0] for _ in range(3)]
    assert statuses == [201, 409, 409]

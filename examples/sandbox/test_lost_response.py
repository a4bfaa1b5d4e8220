"""A sandbox per test, with pytest and nothing else: pytest test_lost_response.py

PETSTORE_SANDBOXES is the address of a host, which "petstore sandboxes" starts.
"""

import json
import os
import urllib.request

import pytest


def send(method, url, key=None, body=None, headers=None):
    """Returns the response and its JSON. Raises OSError if the connection is lost or the status is 400 or more."""
    request = urllib.request.Request(
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **(headers or {})},
    )
    if key is not None:
        request.add_header("Authorization", f"Bearer {key}")
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read()
        return response, json.loads(text) if text else None


class Sandbox:
    def __init__(self, host):
        _, created = send("POST", f"{host}/sandboxes")
        self.key = created["adminKey"]
        self.base = created["baseUrl"]
        self.control_base = f"{host}/sandboxes/{created['id']}"

    def call(self, method, path, body=None, headers=None):
        """Sends a request to the store."""
        return send(method, self.base + path, self.key, body, headers)

    def control(self, method, path="", body=None):
        """Sends a request to the host: "/faults", "/requests", "/reset", ..."""
        return send(method, self.control_base + path, self.key, body)[1]


@pytest.fixture
def sandbox():
    one = Sandbox(os.environ.get("PETSTORE_SANDBOXES", "http://127.0.0.1:8081"))
    yield one
    one.control("DELETE")


def test_an_order_whose_response_is_lost_is_placed_once(sandbox):
    lost = {
        "name": "lost",
        "operation": "placeOrder",
        "when": {"call": 1},
        "effect": {"type": "drop_after_commit"},
    }
    sandbox.control("PUT", "/faults", {"rules": [lost]})
    order = ("POST", "/store/orders", {"petId": 3, "quantity": 1}, {"Idempotency-Key": '"cart-17"'})
    with pytest.raises(OSError):
        sandbox.call(*order)
    response, placed = sandbox.call(*order)
    assert (response.status, response.headers["Idempotent-Replayed"]) == (201, "true")
    assert sandbox.call("GET", "/store/orders")[1] == [placed]
    listed, second, first = sandbox.control("GET", "/requests")
    assert listed["operationId"] == "listOrders"
    assert (second["status"], "fault" in second) == (201, False)
    assert ("status" in first, first["fault"]) == (False, 'drop_after_commit; rule="lost"')

"""Validates responses of a demo store against the JSON Schema files that it serves.

Usage: pip install jsonschema==4.26.0, and then BASE=http://127.0.0.1:8080 KEY=pst_... python3 json_schemas.py
"""

import json
import os
import urllib.error
import urllib.request

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource

BASE = os.environ["BASE"]
RESPONSES = {
    "/pets/1": "Pet",
    "/categories/1": "Category",
    "/store/inventory/1": "InventoryItem",
    "/errors/pet_not_found": "ErrorInfo",
    "/keys/current": "ApiKey",
    "/pets/404404": "Error",
    "/pets?limit=0": "Error",
    "/webhooks/404": "Error",
}


def read(url):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {os.environ['KEY']}"})
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return json.load(error)


registry = Registry(retrieve=lambda uri: Resource.from_contents(read(uri)))
valid = wrong = 0
for path, name in RESPONSES.items():
    schema = read(f"{BASE}/schemas/{name}.json")
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, registry=registry, format_checker=FormatChecker())
    body = read(BASE + path)
    valid += validator.is_valid(body)
    first = schema["required"][0]
    wrong += not validator.is_valid({**body, first: []})
print(f"{valid} responses are valid; {wrong} with a wrong member are not")

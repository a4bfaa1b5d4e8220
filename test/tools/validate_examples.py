"""Sends the examples of each operation, then wrong requests, and reports each response that openapi-core refuses."""

import json
import os

import requests
from openapi_core import OpenAPI
from openapi_core.contrib.requests import RequestsOpenAPIRequest, RequestsOpenAPIResponse

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
document = requests.get(f"{BASE}/openapi.json").json()
description = OpenAPI.from_dict(document)
session = requests.Session()
findings, count = [], 0


def resolved(part):
    while "$ref" in part:
        found = document
        for name in part["$ref"][2:].split("/"):
            found = found[name]
        part = found
    return part


def example_of(part):
    """Returns an example of a parameter or of a body."""
    schema = resolved(part.get("schema", {}))
    examples = [resolved(one)["value"] for one in part.get("examples", {}).values()]
    return next((each for each in (part.get("example"), *examples, schema.get("example")) if each is not None), None)


def send(method, path, operation, headers, body):
    global count
    parameters = [resolved(one) for one in operation.get("parameters", [])]
    for parameter in parameters:
        if parameter["in"] == "path":
            path = path.replace("{%s}" % parameter["name"], str(headers.pop("path", example_of(parameter))))
    request = requests.Request(method.upper(), BASE + path, headers=headers, data=body)
    response = session.send(session.prepare_request(request), timeout=5)
    count += 1
    try:
        description.validate_response(RequestsOpenAPIRequest(request), RequestsOpenAPIResponse(response))
    except Exception as error:
        reasons = [reason.message for reason in getattr(error.__cause__, "schema_errors", [])]
        message = f"{type(error).__name__}: {'; '.join(reasons) or error}"
        name = operation["operationId"]
        findings.append({"message": message, "operation": name, "status": response.status_code})


for path, item in document["paths"].items():
    for method, operation in item.items():
        if operation["operationId"] == "streamEvents":
            continue
        key = {"Authorization": f"Bearer {KEY}"}
        content = operation.get("requestBody", {}).get("content", {})
        bodies = [(kind, json.dumps(example_of(body))) for kind, body in content.items()] or [(None, None)]
        for kind, body in bodies[:1]:
            typed = key | ({"Content-Type": kind} if kind else {})
            if "{" in path:
                send(method, path, operation, typed | {"path": "999999"}, body)
            if kind:
                send(method, path, operation, typed, '{"unknown":1}')
            send(method, path, operation, {k: v for k, v in typed.items() if k != "Authorization"}, body)
            send(method, path, operation, dict(typed), body)

with open(os.environ["FINDINGS"], "w") as file:
    json.dump(findings, file)
print(f"{count} responses, {len(findings)} findings")

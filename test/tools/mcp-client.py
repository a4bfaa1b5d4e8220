"""Sells a pet as an agent, with the Python package `mcp`: over HTTP and over standard input and output.

Usage: pip install mcp==2.3.0, and then
  PETSTORE_URL=http://127.0.0.1:8080 PETSTORE_KEY=pst_... python3 mcp-client.py COMMAND...
COMMAND... is the command line of petstore, without `mcp`. The store has the demo shop. Prints `ok` at the end.
"""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

URL = os.environ["PETSTORE_URL"]
KEY = os.environ["PETSTORE_KEY"]


def over_http():
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {KEY}"})
    return streamable_http_client(f"{URL}/mcp", http_client=http)


def over_stdio():
    command, *args = sys.argv[1:]
    return StdioServerParameters(command=command, args=[*args, "mcp"], env=dict(os.environ))


async def sell(server, mode):
    async with Client(server, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 14, names
        found = await client.call_tool("find_pets", {"name": "bis"})
        [pet] = found.structured_content["items"]
        await client.call_tool("adjust_stock", {"petId": pet["id"], "quantityChange": 1})
        sold = await client.call_tool("place_order", {"petId": pet["id"], "complete": True})
        assert sold.structured_content["petName"] == pet["name"], sold
        refused = await client.call_tool("place_order", {"petId": pet["id"], "quantity": 1000000})
        assert refused.is_error and "insufficient_stock" in refused.content[0].text, refused
        print(f"{mode}: sold {pet['name']} as order {sold.structured_content['id']}")


async def main():
    for mode in ("auto", "legacy"):
        await sell(over_http(), mode)
        await sell(over_stdio(), mode)
    print("ok")


asyncio.run(main())

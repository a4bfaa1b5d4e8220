"""A session with the client of openapi-python-client."""

import json
import re
import sys
from pathlib import Path

import httpx
from petstore_client import AuthenticatedClient
from petstore_client.api.events import list_events
from petstore_client.api.pets import create_pet, get_pet, list_pets
from petstore_client.api.store import place_order
from petstore_client.models import Error, FeedEventType, NewOrder, NewPet, Pet

base, key, samples = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=key)


def sample(name):
    return json.loads((Path(samples) / f"{name}.json").read_text())


def decode_event(value):
    """Decodes a page of one event as the client does: the union has no decoding function."""
    response = httpx.Response(200, json=[value])
    return list_events._parse_response(client=client, response=response)[0]


def handling_of(decode, name, member):
    try:
        return "kept" if member in decode(sample(name)).to_dict() else "ignored"
    except (ValueError, TypeError, KeyError):
        return "error"


def noun(event):
    return re.match("[A-Z][a-z]+", type(event).__name__)[0].lower()


print(f"listed {len(list_pets.sync(client=client, limit=2))} pets")
pet = create_pet.sync(client=client, body=NewPet(name="Nimbus", category_id=1))
print(f"created {pet.name}")
print(f"ordered {place_order.sync(client=client, body=NewOrder(pet_id=pet.id)).quantity}")
error = place_order.sync(client=client, body=NewOrder(pet_id=pet.id))
assert isinstance(error, Error)
print(f"refused {error.code} {error.status}")
decoded = [
    list_events.sync(client=client, type_=[FeedEventType(f"petstore.{name}")], limit=1)[0]
    for name in ("pet.created", "category.created", "order.placed", "inventory.changed")
]
decoded.append(decode_event(sample("event-webhook")))
print("decoded", *map(noun, decoded))
message = get_pet.sync(9007199254740993, client=client).message
print("id", "exact" if "9007199254740993" in message else "rounded")
print("event member", handling_of(decode_event, "event-unknown-member", "colour"))
print("event type", handling_of(decode_event, "event-unknown-type", "type"))
print("pet member", handling_of(Pet.from_dict, "pet-unknown-member", "colour"))

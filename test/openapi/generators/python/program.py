"""A session with the client of openapi-generator python."""

import json
import sys
from pathlib import Path

import petstore
from petstore.exceptions import ApiException

base, key, samples = sys.argv[1:]
client = petstore.ApiClient(petstore.Configuration(host=base, access_token=key))
pets = petstore.PetsApi(client)
store = petstore.StoreApi(client)
events = petstore.EventsApi(client)
nouns = {
    petstore.PetCreatedEvent: "pet",
    petstore.CategoryCreatedEvent: "category",
    petstore.OrderPlacedEvent: "order",
    petstore.InventoryChangedEvent: "inventory",
    petstore.WebhookDisabledEvent: "webhook",
}


def sample(name):
    return (Path(samples) / f"{name}.json").read_text()


def handling_of(decode, name, member):
    try:
        decoded = decode(sample(name))
    except ValueError:
        return "error"
    return "kept" if member in json.loads(decoded.to_json()) else "ignored"


def error_of(call):
    try:
        call()
    except ApiException as refused:
        return refused.data
    raise AssertionError("the call succeeded")


print(f"listed {len(pets.list_pets(limit=2))} pets")
pet = pets.create_pet(petstore.NewPet(name="Nimbus", categoryId=1))
print(f"created {pet.name}")
order = petstore.NewOrder(petId=pet.id)
print(f"ordered {store.place_order(order).quantity}")
error = error_of(lambda: store.place_order(order))
print(f"refused {error.code} {error.status}")
decoded = [
    events.list_events(type=[petstore.FeedEventType(f"petstore.{name}")], limit=1)[0]
    for name in ("pet.created", "category.created", "order.placed", "inventory.changed")
]
decoded.append(petstore.Event.from_json(sample("event-webhook")))
print("decoded", *(nouns[type(event.actual_instance)] for event in decoded))
message = error_of(lambda: pets.get_pet(9007199254740993)).message
print("id", "exact" if "9007199254740993" in message else "rounded")
print("event member", handling_of(petstore.Event.from_json, "event-unknown-member", "colour"))
print("event type", handling_of(petstore.Event.from_json, "event-unknown-type", "type"))
print("pet member", handling_of(petstore.Pet.from_json, "pet-unknown-member", "colour"))

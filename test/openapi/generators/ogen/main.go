// A session with the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"program/api"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type key string

func (k key) Key(context.Context, api.OperationName) (api.Key, error) {
	return api.Key{Token: string(k)}, nil
}

func noun(event api.Event) string {
	switch {
	case event.OneOf.IsPetCreatedEvent():
		return "pet"
	case event.OneOf.IsCategoryCreatedEvent():
		return "category"
	case event.OneOf.IsOrderPlacedEvent():
		return "order"
	case event.OneOf.IsInventoryChangedEvent():
		return "inventory"
	default:
		return "webhook"
	}
}

func sample(name string) []byte {
	return must(os.ReadFile(filepath.Join(os.Args[3], name+".json")))
}

func handlingOf(err error, value any, member string) string {
	if err != nil {
		return "error"
	}
	if strings.Contains(string(must(json.Marshal(value))), member) {
		return "kept"
	}
	return "ignored"
}

func main() {
	client := must(api.NewClient(os.Args[1], key(os.Args[2])))

	pets := must(client.ListPets(ctx, api.ListPetsParams{Limit: api.NewOptInt32(2)})).(*api.PetsHeaders)
	fmt.Printf("listed %d pets\n", len(pets.Response))
	draft := &api.NewPet{Name: "Nimbus", CategoryId: 1}
	pet := must(client.CreatePet(ctx, draft, api.CreatePetParams{})).(*api.PetHeaders).Response
	fmt.Printf("created %s\n", pet.Name)
	order := &api.NewOrder{PetId: pet.ID}
	placed := must(client.PlaceOrder(ctx, order, api.PlaceOrderParams{})).(*api.OrderHeaders).Response
	fmt.Printf("ordered %d\n", placed.Quantity.Value)
	refused := must(client.PlaceOrder(ctx, order, api.PlaceOrderParams{})).(*api.PlaceOrderConflictHeaders).Response
	fmt.Printf("refused %s %d\n", refused.Code, refused.Status)

	nouns := []string{}
	for _, name := range []string{"pet.created", "category.created", "order.placed", "inventory.changed"} {
		params := api.ListEventsParams{Type: []api.FeedEventType{api.FeedEventType("petstore." + name)}, Limit: api.NewOptInt32(1)}
		events := must(client.ListEvents(ctx, params)).(*api.ListEventsOKHeaders)
		nouns = append(nouns, noun(events.Response[0]))
	}
	var event api.Event
	must(0, event.UnmarshalJSON(sample("event-webhook")))
	fmt.Println("decoded", strings.Join(append(nouns, noun(event)), " "))

	missing := must(client.GetPet(ctx, api.GetPetParams{PetId: 9007199254740993})).(*api.PetNotFoundHeaders).Response
	exact := map[bool]string{true: "exact", false: "rounded"}
	fmt.Println("id", exact[strings.Contains(missing.Message, "9007199254740993")])
	err := event.UnmarshalJSON(sample("event-unknown-member"))
	fmt.Println("event member", handlingOf(err, &event, "colour"))
	event = api.Event{}
	err = event.UnmarshalJSON(sample("event-unknown-type"))
	fmt.Println("event type", handlingOf(err, &event, "groomed"))
	var other api.Pet
	err = other.UnmarshalJSON(sample("pet-unknown-member"))
	fmt.Println("pet member", handlingOf(err, &other, "colour"))
}

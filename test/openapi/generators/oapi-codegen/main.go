// A session with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"program/petstore"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func noun(event petstore.Event) string {
	value, err := event.ValueByDiscriminator()
	if err != nil {
		return "unknown"
	}
	switch value.(type) {
	case petstore.PetCreatedEvent:
		return "pet"
	case petstore.CategoryCreatedEvent:
		return "category"
	case petstore.OrderPlacedEvent:
		return "order"
	case petstore.InventoryChangedEvent:
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
	authorize := petstore.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})
	client := must(petstore.NewClientWithResponses(os.Args[1], authorize))

	limit := petstore.PageLimit(2)
	pets := must(client.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Limit: &limit}))
	fmt.Printf("listed %d pets\n", len(*pets.JSON200))
	pet := must(client.CreatePetWithResponse(ctx, nil, petstore.NewPet{Name: "Nimbus", CategoryId: 1})).JSON201
	fmt.Printf("created %s\n", pet.Name)
	order := petstore.NewOrder{PetId: pet.Id}
	placed := must(client.PlaceOrderWithResponse(ctx, nil, order))
	fmt.Printf("ordered %d\n", *placed.JSON201.Quantity)
	refused := must(client.PlaceOrderWithResponse(ctx, nil, order)).JSON409
	fmt.Printf("refused %s %d\n", refused.Code, refused.Status)

	nouns := []string{}
	for _, name := range []string{"pet.created", "category.created", "order.placed", "inventory.changed"} {
		types := []petstore.FeedEventType{petstore.FeedEventType("petstore." + name)}
		events := must(client.ListEventsWithResponse(ctx, &petstore.ListEventsParams{Type: &types, Limit: &limit}))
		nouns = append(nouns, noun((*events.JSON200)[0]))
	}
	var event petstore.Event
	must(0, json.Unmarshal(sample("event-webhook"), &event))
	fmt.Println("decoded", strings.Join(append(nouns, noun(event)), " "))

	missing := must(client.GetPetWithResponse(ctx, 9007199254740993, nil)).JSON404
	exact := map[bool]string{true: "exact", false: "rounded"}
	fmt.Println("id", exact[strings.Contains(missing.Message, "9007199254740993")])
	err := json.Unmarshal(sample("event-unknown-member"), &event)
	value, _ := event.ValueByDiscriminator()
	fmt.Println("event member", handlingOf(err, value, "colour"))
	event = petstore.Event{}
	err = json.Unmarshal(sample("event-unknown-type"), &event)
	if err == nil {
		_, err = event.ValueByDiscriminator()
	}
	fmt.Println("event type", handlingOf(err, event, "groomed"))
	var other petstore.Pet
	err = json.Unmarshal(sample("pet-unknown-member"), &other)
	fmt.Println("pet member", handlingOf(err, other, "colour"))
}

// A session with the client of openapi-generator go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	petstore "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func noun(event petstore.Event) string {
	switch event.GetActualInstance().(type) {
	case *petstore.PetCreatedEvent:
		return "pet"
	case *petstore.CategoryCreatedEvent:
		return "category"
	case *petstore.OrderPlacedEvent:
		return "order"
	case *petstore.InventoryChangedEvent:
		return "inventory"
	default:
		return "webhook"
	}
}

// errorOf returns the body of the error with which a call fails.
func errorOf(err error) petstore.Error {
	return err.(*petstore.GenericOpenAPIError).Model().(petstore.Error)
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
	settings := petstore.NewConfiguration()
	settings.Servers = petstore.ServerConfigurations{{URL: os.Args[1]}}
	client := petstore.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), petstore.ContextAccessToken, os.Args[2])

	pets, _, err := client.PetsAPI.ListPets(ctx).Limit(2).Execute()
	must(pets, err)
	fmt.Printf("listed %d pets\n", len(pets))
	pet, _, err := client.PetsAPI.CreatePet(ctx).PetDraft(*petstore.NewPetDraft("Nimbus", 1)).Execute()
	fmt.Printf("created %s\n", must(pet, err).Name)
	order := *petstore.NewOrderDraft(pet.Id)
	placed, _, err := client.StoreAPI.PlaceOrder(ctx).OrderDraft(order).Execute()
	fmt.Printf("ordered %d\n", must(placed, err).GetQuantity())
	_, _, err = client.StoreAPI.PlaceOrder(ctx).OrderDraft(order).Execute()
	refused := errorOf(err)
	fmt.Printf("refused %s %d\n", refused.Code, refused.Status)

	nouns := []string{}
	for _, name := range []string{"pet.created", "category.created", "order.placed", "inventory.changed"} {
		types := []petstore.FeedEventType{petstore.FeedEventType("petstore." + name)}
		events, _, err := client.EventsAPI.ListEvents(ctx).Type_(types).Limit(1).Execute()
		nouns = append(nouns, noun(must(events, err)[0]))
	}
	var event petstore.Event
	must(0, json.Unmarshal(sample("event-webhook"), &event))
	fmt.Println("decoded", strings.Join(append(nouns, noun(event)), " "))

	_, _, err = client.PetsAPI.GetPet(ctx, 9007199254740993).Execute()
	exact := map[bool]string{true: "exact", false: "rounded"}
	fmt.Println("id", exact[strings.Contains(errorOf(err).Message, "9007199254740993")])
	event = petstore.Event{}
	err = json.Unmarshal(sample("event-unknown-member"), &event)
	fmt.Println("event member", handlingOf(err, event, "colour"))
	event = petstore.Event{}
	err = json.Unmarshal(sample("event-unknown-type"), &event)
	if err == nil && event.GetActualInstance() == nil {
		// An event without content: it cannot be written as JSON again.
		fmt.Println("event type ignored")
	} else {
		fmt.Println("event type", handlingOf(err, event, "groomed"))
	}
	var other petstore.Pet
	err = json.Unmarshal(sample("pet-unknown-member"), &other)
	fmt.Println("pet member", handlingOf(err, other, "colour"))
}

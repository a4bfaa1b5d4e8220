// A sandbox per test, with Go's standard library alone: go test lost_response_test.go
//
// PETSTORE_SANDBOXES is the address of a host, which "petstore sandboxes" starts.
package petstore

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

// Sandbox is a store of a test's own.
type Sandbox struct {
	t                  *testing.T
	client             *http.Client
	Base, Control, Key string
}

// NewSandbox creates a sandbox, which is deleted at the end of the test.
func NewSandbox(t *testing.T) *Sandbox {
	t.Helper()
	host := os.Getenv("PETSTORE_SANDBOXES")
	if host == "" {
		host = "http://127.0.0.1:8081"
	}
	// A transport of Go repeats a request with an Idempotency-Key by itself if a connection that it used before is lost,
	// and the test would not see the loss. With a new connection for each request, it does not.
	transport := &http.Transport{DisableKeepAlives: true}
	s := &Sandbox{t: t, client: &http.Client{Timeout: 10 * time.Second, Transport: transport}}
	var created struct{ ID, BaseURL, AdminKey string }
	if _, err := s.Send("POST", host+"/sandboxes", nil, nil, &created); err != nil {
		t.Fatal(err)
	}
	s.Base, s.Control, s.Key = created.BaseURL, host+"/sandboxes/"+created.ID, created.AdminKey
	t.Cleanup(func() { s.Send("DELETE", s.Control, nil, nil, nil) })
	return s
}

// Send sends a request with the key of the sandbox, and reads the JSON of the response into result.
// The error is that of the connection: a refusal has a status of 400 or more.
func (s *Sandbox) Send(method, url string, body any, headers map[string]string, result any) (*http.Response, error) {
	s.t.Helper()
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			s.t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, &sent)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if result != nil {
		// An id has up to 63 bits: read it into an int64, not into a float64.
		err = json.NewDecoder(response.Body).Decode(result)
	}
	return response, err
}

func TestAnOrderWhoseResponseIsLostIsPlacedOnce(t *testing.T) {
	sandbox := NewSandbox(t)
	rule := map[string]any{
		"name": "lost", "operation": "placeOrder", "when": map[string]int{"call": 1},
		"effect": map[string]string{"type": "drop_after_commit"},
	}
	rules := map[string]any{"rules": []any{rule}}
	if response, err := sandbox.Send("PUT", sandbox.Control+"/faults", rules, nil, nil); err != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	type Order struct{ ID, PetID, Quantity int64 }
	place := func(placed *Order) (*http.Response, error) {
		order := map[string]int{"petId": 3, "quantity": 1}
		return sandbox.Send("POST", sandbox.Base+"/store/orders", order, map[string]string{"Idempotency-Key": `"cart-17"`}, placed)
	}
	var placed Order
	if _, err := place(&placed); err == nil {
		t.Fatal("the response was not lost")
	}
	response, err := place(&placed)
	if err != nil || response.StatusCode != 201 || response.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatal(response, err)
	}
	var orders []Order
	if _, err := sandbox.Send("GET", sandbox.Base+"/store/orders", nil, nil, &orders); err != nil {
		t.Fatal(err)
	}
	if len(orders) != 1 || orders[0] != placed {
		t.Fatal(orders, placed)
	}
}

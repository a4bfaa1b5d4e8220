//! A session with the client of progenitor.

use petstore_client::types::{Error, Event, FeedEventType, NewOrder, NewPet, Pet};
use petstore_client::{Client, Error as CallError};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde::{Serialize, de::DeserializeOwned};
use std::{env, fs, num::NonZero};

fn sample(name: &str) -> String {
    let directory = env::args().nth(3).expect("the directory of samples");
    fs::read_to_string(format!("{directory}/{name}.json")).expect("a sample")
}

/// Returns how the type handles an unknown member: `kept`, `ignored` or `error`.
fn handling_of<T: DeserializeOwned + Serialize>(name: &str, member: &str) -> &'static str {
    match serde_json::from_str::<T>(&sample(name)) {
        Err(_) => "error",
        Ok(value) if serde_json::to_string(&value).unwrap().contains(member) => "kept",
        Ok(_) => "ignored",
    }
}

fn noun(event: &Event) -> &'static str {
    match event {
        Event::PetCreatedEvent(_) => "pet",
        Event::CategoryCreatedEvent(_) => "category",
        Event::OrderPlacedEvent(_) => "order",
        Event::InventoryChangedEvent(_) => "inventory",
        Event::WebhookDisabledEvent(_) => "webhook",
        _ => "other",
    }
}

fn error_of<T>(result: Result<T, CallError<Error>>) -> Error {
    match result {
        Err(CallError::ErrorResponse(response)) => response.into_inner(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the call succeeded"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {}", arguments[2]).parse()?);
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    let client = Client::new_with_client(&arguments[1], http);

    let pets = client.list_pets(None, None, None, None, NonZero::new(2), None, None, None, None).await?;
    println!("listed {} pets", pets.len());
    let draft = NewPet { name: "Nimbus".parse()?, category_id: 1, status: None };
    let pet = client.create_pet(None, &draft).await?.into_inner();
    println!("created {}", *pet.name);
    let order: NewOrder = serde_json::from_value(serde_json::json!({ "petId": pet.id }))?;
    let placed = client.place_order(None, &order).await?;
    println!("ordered {}", placed.quantity.expect("an order of the store has a quantity"));
    let refused = error_of(client.place_order(None, &order).await);
    println!("refused {} {}", *refused.code, refused.status);

    let mut nouns = Vec::new();
    for name in ["pet.created", "category.created", "order.placed", "inventory.changed"] {
        let types = vec![format!("petstore.{name}").parse::<FeedEventType>()?];
        let events = client.list_events(None, NonZero::new(1), None, Some(&types), None, None).await?;
        nouns.push(noun(&events[0]));
    }
    nouns.push(noun(&serde_json::from_str(&sample("event-webhook"))?));
    println!("decoded {}", nouns.join(" "));

    let message = error_of(client.get_pet(9007199254740993, None, None).await).message;
    let exact = message.contains("9007199254740993");
    println!("id {}", if exact { "exact" } else { "rounded" });
    println!("event member {}", handling_of::<Event>("event-unknown-member", "colour"));
    println!("event type {}", handling_of::<Event>("event-unknown-type", "groomed"));
    println!("pet member {}", handling_of::<Pet>("pet-unknown-member", "colour"));
    Ok(())
}

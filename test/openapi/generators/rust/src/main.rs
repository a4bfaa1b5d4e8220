//! A session with the client of openapi-generator rust.

use openapi::apis::configuration::Configuration;
use openapi::apis::{Error as CallError, events_api, pets_api, store_api};
use openapi::models::{Error, Event, FeedEventType, NewOrder, NewPet, Pet};
use serde::{Serialize, de::DeserializeOwned};
use std::{env, fs};

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

/// The client keeps the body of a refusal as text; `Error` parses it for every status.
fn error_of<T, E>(result: Result<T, CallError<E>>) -> Error {
    match result {
        Err(CallError::ResponseError(response)) => serde_json::from_str(&response.content).expect("an error"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the call succeeded"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    let mut client = Configuration::new();
    client.base_path = arguments[1].clone();
    client.bearer_access_token = Some(arguments[2].clone());

    let pets = pets_api::list_pets(&client, Some(2), None, None, None, None, None, None, None, None).await?;
    println!("listed {} pets", pets.len());
    let pet = pets_api::create_pet(&client, NewPet::new("Nimbus".into(), 1), None).await?;
    println!("created {}", pet.name);
    let order = NewOrder::new(pet.id);
    let placed = store_api::place_order(&client, order.clone(), None).await?;
    println!("ordered {}", placed.quantity.expect("an order of the store has a quantity"));
    let refused = error_of(store_api::place_order(&client, order, None).await);
    println!("refused {} {}", refused.code, refused.status);

    let types = [
        FeedEventType::PET_CREATED,
        FeedEventType::CATEGORY_CREATED,
        FeedEventType::ORDER_PLACED,
        FeedEventType::INVENTORY_CHANGED,
    ];
    let mut nouns = Vec::new();
    for one in types {
        let events = events_api::list_events(&client, None, Some(vec![one]), None, Some(1), None, None).await?;
        nouns.push(noun(&events[0]));
    }
    nouns.push(noun(&serde_json::from_str(&sample("event-webhook"))?));
    println!("decoded {}", nouns.join(" "));

    let message = error_of(pets_api::get_pet(&client, 9007199254740993, None, None).await).message;
    let exact = message.contains("9007199254740993");
    println!("id {}", if exact { "exact" } else { "rounded" });
    println!("event member {}", handling_of::<Event>("event-unknown-member", "colour"));
    println!("event type {}", handling_of::<Event>("event-unknown-type", "groomed"));
    println!("pet member {}", handling_of::<Pet>("pet-unknown-member", "colour"));
    Ok(())
}

import com.google.gson.Gson;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonParseException;
import io.swagger.client.ApiClient;
import io.swagger.client.ApiException;
import io.swagger.client.JSON;
import io.swagger.client.api.EventsApi;
import io.swagger.client.api.PetsApi;
import io.swagger.client.api.StoreApi;
import io.swagger.client.model.*;
import io.swagger.client.model.Error;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A session with the client of swagger-codegen java, library okhttp-gson. */
public class Program {
    private static final Map<String, Class<? extends Event>> EVENTS = Map.of(
        "pet", PetCreatedEvent.class,
        "category", CategoryCreatedEvent.class,
        "order", OrderPlacedEvent.class,
        "inventory", InventoryChangedEvent.class,
        "webhook", WebhookDisabledEvent.class);
    /** The generated interface Event has no code that chooses a class, so the noun in the type chooses it. */
    private static final JsonDeserializer<Event> BY_TYPE = (json, type, context) -> {
        String name = json.getAsJsonObject().get("type").getAsString();
        Class<? extends Event> found = EVENTS.get(name.split("\\.")[1]);
        if (found == null) throw new JsonParseException("no class for the type " + name);
        return context.deserialize(json, found);
    };
    private static final Gson GSON = JSON.createGson()
        .registerTypeAdapter(OffsetDateTime.class, new JSON.OffsetDateTimeTypeAdapter())
        .registerTypeAdapter(Event.class, BY_TYPE)
        .create();
    private static String samples;

    interface Call {
        Object make() throws Exception;
    }

    static <T> T read(String name, Class<T> type) throws Exception {
        return GSON.fromJson(Files.readString(Path.of(samples, name + ".json")), type);
    }

    static Error errorOf(Call call) throws Exception {
        try {
            call.make();
        } catch (ApiException refused) {
            return GSON.fromJson(refused.getResponseBody(), Error.class);
        }
        throw new IllegalStateException("the call succeeded");
    }

    static String handlingOf(Call decode, String member) {
        try {
            return GSON.toJson(decode.make()).contains(member) ? "kept" : "ignored";
        } catch (Exception failure) {
            return "error";
        }
    }

    static String noun(Event event) {
        return event.getClass().getSimpleName().split("(?=[A-Z])")[0].toLowerCase();
    }

    static ApiClient connect(String base, String key) {
        ApiClient client = new ApiClient();
        client.setBasePath(base);
        client.addDefaultHeader("Authorization", "Bearer " + key);
        client.getJSON().setGson(GSON);
        return client;
    }

    public static void main(String[] args) throws Exception {
        samples = args[2];
        ApiClient client = connect(args[0], args[1]);
        PetsApi pets = new PetsApi(client);
        StoreApi store = new StoreApi(client);
        EventsApi events = new EventsApi(client);

        System.out.printf("listed %d pets%n", pets.listPets(2, null, null, null, null, null, null, null, null).size());
        Pet pet = pets.createPet(new NewPet().name("Nimbus").categoryId(1L), null);
        System.out.printf("created %s%n", pet.getName());
        NewOrder order = new NewOrder().petId(pet.getId());
        System.out.printf("ordered %d%n", store.placeOrder(order, null).getQuantity());
        Error refused = errorOf(() -> store.placeOrder(order, null));
        System.out.printf("refused %s %d%n", refused.getCode(), refused.getStatus());

        List<String> nouns = new ArrayList<>();
        for (String name : List.of("pet.created", "category.created", "order.placed", "inventory.changed")) {
            List<FeedEventType> types = List.of(FeedEventType.fromValue("petstore." + name));
            nouns.add(noun(events.listEvents(null, types, null, 1, null, null).get(0)));
        }
        nouns.add(noun(read("event-webhook", Event.class)));
        System.out.println("decoded " + String.join(" ", nouns));

        String message = errorOf(() -> pets.getPet(9007199254740993L, null, null)).getMessage();
        System.out.println("id " + (message.contains("9007199254740993") ? "exact" : "rounded"));
        System.out.println("event member " + handlingOf(() -> read("event-unknown-member", Event.class), "colour"));
        System.out.println("event type " + handlingOf(() -> read("event-unknown-type", Event.class), "groomed"));
        System.out.println("pet member " + handlingOf(() -> read("pet-unknown-member", Pet.class), "colour"));
    }
}

import com.google.gson.Gson
import java.io.File
import org.openapitools.client.apis.EventsApi
import org.openapitools.client.apis.PetsApi
import org.openapitools.client.apis.StoreApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.registerTypeAdapterFactoryForAllModels
import org.openapitools.client.models.Error
import org.openapitools.client.models.Event
import org.openapitools.client.models.FeedEventType
import org.openapitools.client.models.NewOrder
import org.openapitools.client.models.NewPet
import org.openapitools.client.models.Pet
import retrofit2.Call

// A session with the client of openapi-generator kotlin, library jvm-retrofit2.

val gson: Gson = registerTypeAdapterFactoryForAllModels(Serializer.gsonBuilder).create()

/** Returns the body of a successful response. */
fun <T> Call<T>.body(): T = execute().let { it.body() ?: error("${it.code()} ${it.errorBody()?.string()}") }

/** Returns the error with which the store refuses a call. */
fun Call<*>.refusal(): Error = gson.fromJson(execute().errorBody()?.string(), Error::class.java)

fun noun(event: Event): String = event.actualInstance!!::class.simpleName!!.split(Regex("(?<=.)(?=[A-Z])")).first().lowercase()

/** Returns how the type handles an unknown member: `kept`, `ignored` or `error`. */
fun handlingOf(decode: () -> Any, member: String): String =
    try {
        if (gson.toJson(decode()).contains(member)) "kept" else "ignored"
    } catch (_: Exception) {
        "error"
    }

fun main(args: Array<String>) {
    val (base, key, samples) = args
    fun <T> read(name: String, type: Class<T>): T = gson.fromJson(File(samples, "$name.json").readText(), type)
    val client = ApiClient(baseUrl = base, authName = "key", bearerToken = key)
    val pets = client.createService(PetsApi::class.java)
    val store = client.createService(StoreApi::class.java)
    val events = client.createService(EventsApi::class.java)

    println("listed ${pets.listPets(limit = 2).body().size} pets")
    val pet = pets.createPet(NewPet(name = "Nimbus", categoryId = 1)).body()
    println("created ${pet.name}")
    val order = NewOrder(petId = pet.id)
    println("ordered ${store.placeOrder(order).body().quantity}")
    val refused = store.placeOrder(order).refusal()
    println("refused ${refused.code} ${refused.status}")

    val types = listOf(
        FeedEventType.PET_CREATED,
        FeedEventType.CATEGORY_CREATED,
        FeedEventType.ORDER_PLACED,
        FeedEventType.INVENTORY_CHANGED,
    )
    val nouns = types.map { noun(events.listEvents(type = listOf(it), limit = 1).body().first()) }
    println("decoded ${(nouns + noun(read("event-webhook", Event::class.java))).joinToString(" ")}")

    val message = pets.getPet(9007199254740993L).refusal().message
    println("id ${if ("9007199254740993" in message) "exact" else "rounded"}")
    println("event member ${handlingOf({ read("event-unknown-member", Event::class.java) }, "colour")}")
    println("event type ${handlingOf({ read("event-unknown-type", Event::class.java) }, "groomed")}")
    println("pet member ${handlingOf({ read("pet-unknown-member", Pet::class.java) }, "colour")}")
    // The connection pool would keep the process alive for a minute.
    kotlin.system.exitProcess(0)
}

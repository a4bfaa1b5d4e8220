import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A sandbox per test, with JUnit 5 and java.net.http: mvn test
 *
 * <p>PETSTORE_SANDBOXES is the address of a host, which "petstore sandboxes" starts.
 */
class LostResponseTest {
  private static final String HOST =
      System.getenv().getOrDefault("PETSTORE_SANDBOXES", "http://127.0.0.1:8081");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private String key;
  private String store;
  private String control;

  @BeforeEach
  void createSandbox() throws Exception {
    String created = send("POST", HOST + "/sandboxes", "").body();
    key = member(created, "adminKey");
    store = member(created, "baseUrl");
    control = HOST + "/sandboxes/" + member(created, "id");
  }

  @AfterEach
  void deleteSandbox() throws Exception {
    if (control != null) send("DELETE", control, "");
  }

  @Test
  void anOrderWhoseResponseIsLostIsPlacedOnce() throws Exception {
    String lost =
        """
        {"rules":[{"name":"lost","operation":"placeOrder","when":{"call":1},
          "effect":{"type":"drop_after_commit"}}]}""";
    assertEquals(200, send("PUT", control + "/faults", lost).statusCode());
    assertThrows(IOException.class, this::placeOrder);
    HttpResponse<String> placed = placeOrder();
    assertEquals(201, placed.statusCode());
    assertEquals("true", placed.headers().firstValue("Idempotent-Replayed").orElse(""));
    assertEquals("[" + placed.body() + "]", send("GET", store + "/store/orders", "").body());
    String log = send("GET", control + "/requests", "").body();
    assertEquals(2, log.split("\"operationId\":\"placeOrder\"", -1).length - 1);
    assertTrue(log.contains("\"fault\":\"drop_after_commit; rule=\\\"lost\\\"\""), log);
  }

  private HttpResponse<String> placeOrder() throws IOException, InterruptedException {
    String order = "{\"petId\":3,\"quantity\":1}";
    return send("POST", store + "/store/orders", order, "Idempotency-Key", "\"cart-17\"");
  }

  private HttpResponse<String> send(String method, String url, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (key != null) request.header("Authorization", "Bearer " + key);
    if (headers.length > 0) request.headers(headers);
    return http.send(request.build(), BodyHandlers.ofString());
  }

  /** Returns a string member of a JSON object. Use the JSON library of your project instead. */
  private static String member(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    assertTrue(matcher.find(), json);
    return matcher.group(1);
  }
}

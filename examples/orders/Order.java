import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One job order, from Java's standard library alone (11 or newer): java Order.java http://127.0.0.1:8080 4711 0.5 0.4 */
public class Order {
  static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  static final int ATTEMPTS = 10;

  static HttpRequest.Builder request(URI address) {
    HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30));
    String key = System.getenv("ARMDYN_KEY");
    return key == null ? request : request.header("Authorization", "Bearer " + key);
  }

  /** The answer. Whoever was not answered does not know whether he was heard, and asks again: an Idempotency-Key makes that safe. */
  static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    for (int attempt = 1;; attempt++) {
      long pause = 1;
      try {
        HttpResponse<String> answer = CLIENT.send(request, BodyHandlers.ofString());
        boolean busy = List.of(429, 503).contains(answer.statusCode()) || member(answer.body(), "type").equals("/problems/request-in-flight");
        if (!busy || attempt == ATTEMPTS) return answer;
        pause = answer.headers().firstValueAsLong("Retry-After").orElse(pause);
      } catch (IOException lost) {
        if (attempt == ATTEMPTS) throw lost;
      }
      Thread.sleep(1000 * pause);
    }
  }

  /** The first text of this name in a JSON document, or "". A JSON library of your choice does this better. */
  static String member(String document, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(document);
    return found.find() ? found.group(1).replaceAll("\\\\(.)", "$1") : "";
  }

  /** What a problem (RFC 9457) says: its detail, and each fault with its place in the request. */
  static String told(String problem) {
    StringBuilder text = new StringBuilder(member(problem, "detail"));
    for (String fault : problem.split("(?=\\{\"pointer\")"))
      if (fault.startsWith("{\"pointer\"")) text.append("\n  ").append(member(fault, "pointer")).append(": ").append(member(fault, "detail"));
    return text.toString();
  }

  public static void main(String[] arguments) throws Exception {
    URI orders = URI.create(arguments[0] + "/v1/orders");
    String number = arguments[1];
    String q = String.join(", ", Arrays.copyOfRange(arguments, 2, arguments.length));
    String wanted = "{\"job_order_id\": \"" + number + "\", \"controller\": \"cell-1\", \"to\": {\"q\": [" + q + "]},"
        + " \"duration\": 1.5, \"objective\": \"smooth\", \"start\": \"automatic\"}";
    HttpResponse<String> answer = send(request(orders).header("Content-Type", "application/json")
        .header("Idempotency-Key", number).POST(BodyPublishers.ofString(wanted)).build());
    if (answer.statusCode() >= 400) {
      System.err.println("refused: " + told(answer.body()));
      System.exit(1);
    }
    URI order = orders.resolve(answer.headers().firstValue("Location").orElseThrow());
    while (member(answer.body(), "finished_at").isEmpty()) { // null until it has ended
      Thread.sleep(200);
      answer = send(request(order).build());
    }
    String state = member(answer.body(), "state");
    System.out.println(number + " " + state);
    int problem = answer.body().indexOf("\"problem\":{");
    if (problem >= 0) System.err.println(told(answer.body().substring(problem)));
    System.exit(state.equals("done") ? 0 : 1);
  }
}

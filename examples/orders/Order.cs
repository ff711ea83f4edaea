using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;

// What is sent, and what is read of the answers, by the names that it has there; other members are passed over.
public class Request { public string job_order_id, controller, objective, start; public Place to; public double duration; }
public class Place { public double[] q; }
public class Order { public string state, finished_at; public Problem problem; }
public class Problem { public string type, title, detail; public Fault[] errors; }
public class Fault { public string pointer, detail; }

/// <summary>One job order, for .NET Framework 4.7.2, Mono and .NET 6 or newer: Order http://127.0.0.1:8080 4711 0.5 0.4</summary>
static class Program
{
    const int Attempts = 10;
    static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };

    static T Parse<T>(string text)
    {
        using (var stream = new MemoryStream(Encoding.UTF8.GetBytes(text)))
            return (T)new DataContractJsonSerializer(typeof(T)).ReadObject(stream);
    }

    static string Json<T>(T value)
    {
        using (var stream = new MemoryStream())
        {
            new DataContractJsonSerializer(typeof(T)).WriteObject(stream, value);
            return Encoding.UTF8.GetString(stream.ToArray());
        }
    }

    static async Task<bool> Busy(HttpResponseMessage answer) =>
        (int)answer.StatusCode == 429 || (int)answer.StatusCode == 503 ||
        ((int)answer.StatusCode == 409 && Parse<Problem>(await answer.Content.ReadAsStringAsync()).type == "/problems/request-in-flight");

    /// <summary>The answer. Whoever was not answered does not know whether he was heard, and asks again: an Idempotency-Key makes that safe.</summary>
    static async Task<HttpResponseMessage> Send(Func<HttpRequestMessage> request)
    {
        for (var attempt = 1; ; attempt++)
        {
            var pause = TimeSpan.FromSeconds(1);
            try
            {
                var answer = await Client.SendAsync(request());
                if (attempt == Attempts || !await Busy(answer)) return answer;
                pause = answer.Headers.RetryAfter?.Delta ?? pause;
            }
            catch (Exception lost) when (attempt < Attempts && (lost is HttpRequestException || lost is TaskCanceledException)) { }
            await Task.Delay(pause);
        }
    }

    /// <summary>What a problem (RFC 9457) says: its detail, and each fault with its place in the request.</summary>
    static string Told(Problem problem) =>
        (problem.detail ?? problem.title) + string.Concat((problem.errors ?? new Fault[0]).Select(fault => $"\n  {fault.pointer}: {fault.detail}"));

    static int Main(string[] arguments) => Run(arguments).GetAwaiter().GetResult();

    static async Task<int> Run(string[] arguments)
    {
        Client.BaseAddress = new Uri(arguments[0]);
        var key = Environment.GetEnvironmentVariable("ARMDYN_KEY");
        if (key != null) Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        var wanted = Json(new Request
        {
            job_order_id = arguments[1], controller = "cell-1", duration = 1.5, objective = "smooth", start = "automatic",
            to = new Place { q = arguments.Skip(2).Select(value => double.Parse(value, CultureInfo.InvariantCulture)).ToArray() }
        });
        var answer = await Send(() =>
        {
            var request = new HttpRequestMessage(HttpMethod.Post, "/v1/orders") { Content = new StringContent(wanted, Encoding.UTF8, "application/json") };
            request.Headers.Add("Idempotency-Key", arguments[1]);
            return request;
        });
        var text = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode)
        {
            Console.Error.WriteLine("refused: " + Told(Parse<Problem>(text)));
            return 1;
        }
        var place = answer.Headers.Location;
        var order = Parse<Order>(text);
        while (order.finished_at == null)
        {
            await Task.Delay(200);
            answer = await Send(() => new HttpRequestMessage(HttpMethod.Get, place));
            order = Parse<Order>(await answer.Content.ReadAsStringAsync());
        }
        Console.WriteLine($"{arguments[1]} {order.state}");
        if (order.problem != null) Console.Error.WriteLine(Told(order.problem));
        return order.state == "done" ? 0 : 1;
    }
}

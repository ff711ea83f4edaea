// The example of deploy/doc/clients.md by a client that NSwag made of the contract.    mono Walk.exe http://127.0.0.1:8080
using System;
using System.Collections;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using Armdyn;
using Newtonsoft.Json;
using Task = System.Threading.Tasks.Task; // the contract has one, too

static class Walk
{
    const string Robot = "arm-1";
    static readonly double[] Still = { 0, 0 };
    static ArmdynClient client;

    static async Task CreateRobot(RobotInput model)
    {
        try
        {
            await client.PutRobotAsync(null, null, null, null, null, IfNoneMatch._, model, model.Name);
        }
        catch (ApiException refused) when (refused.StatusCode == 412) { } // it is there already
    }

    static async Task<Job> Finished(Job job)
    {
        while (job.State == "queued" || job.State == "running") job = await client.GetJobAsync(null, null, job.Id);
        return job.State == "succeeded" ? job : throw new InvalidOperationException(job.Problem.Detail);
    }

    static Task<InverseDynamicsAnswer> Torques(double[] velocity)
    {
        return client.InverseDynamicsAsync(null, null, null, null, null, null,
            new InverseDynamicsRequest { Q = Still, Qd = velocity, Qdd = Still }, Robot);
    }

    static async Task Run(string service)
    {
        client = new ArmdynClient(new HttpClient()) { BaseUrl = service };
        await CreateRobot(JsonConvert.DeserializeObject<RobotInput>(File.ReadAllText("arm.json")));
        var torques = ((IEnumerable)(await Torques(Still)).Tau).Cast<object>();
        Console.WriteLine("torques" + string.Concat(torques.Select(tau =>
            Convert.ToDouble(tau, CultureInfo.InvariantCulture).ToString(" 0.0000", CultureInfo.InvariantCulture))));

        var motion = JsonConvert.DeserializeObject<TrajectoryRequest>(File.ReadAllText("motion.json"));
        var job = await Finished(await client.CreateTrajectoryAsync(null, null, "JO-1/70", "wait=60", motion, Robot));
        var trajectory = job.Result.Href.Split('/').Last();
        Console.WriteLine("samples " + (await client.GetTrajectorySamplesAsync(10, null, null, null, trajectory)).T.Count);

        try
        {
            await Torques(new[] { 0.0 }); // of two joints; a velocity that is missing would not get past the client
        }
        catch (ApiException<Problem> refused)
        {
            Console.WriteLine("refused " + refused.Result.Type + " " + refused.Result.Errors.First().Pointer);
        }
    }

    static void Main(string[] arguments)
    {
        Run(arguments[0]).GetAwaiter().GetResult();
    }
}

// The example of deploy/doc/clients.md by a client that openapi-generator made of the contract.    java Walk http://127.0.0.1:8080
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DynamicsApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.RobotsApi;
import org.openapitools.client.api.TrajectoriesApi;
import org.openapitools.client.model.InverseDynamicsRequest;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.RobotInput;
import org.openapitools.client.model.TrajectoryRequest;

public class Walk {
  static final String ROBOT = "arm-1";
  static final ApiClient CLIENT = new ApiClient();
  static final ObjectMapper JSON = CLIENT.getObjectMapper();

  static void createRobot(RobotInput model) throws ApiException {
    try {
      new RobotsApi(CLIENT).putRobot(model.getName(), model, null, null, null, null, null, "*");
    } catch (ApiException refused) {
      if (refused.getCode() != 412) throw refused; // 412: it is there already
    }
  }

  static Job finished(Job job) throws ApiException {
    while (job.getState().matches("queued|running")) job = new JobsApi(CLIENT).getJob(job.getId(), null, null);
    if (!job.getState().equals("succeeded")) throw new ApiException(job.getProblem().getDetail());
    return job;
  }

  static List<?> torques(InverseDynamicsRequest motion) throws ApiException {
    return (List<?>) new DynamicsApi(CLIENT).inverseDynamics(ROBOT, motion, null, null, null, null, null, null).getTau();
  }

  public static void main(String[] arguments) throws Exception {
    URI service = URI.create(arguments[0]);
    CLIENT.setScheme(service.getScheme()).setHost(service.getHost()).setPort(service.getPort());
    createRobot(JSON.readValue(new File("arm.json"), RobotInput.class));
    List<Integer> still = List.of(0, 0);
    System.out.print("torques");
    for (Object tau : torques(new InverseDynamicsRequest().q(still).qd(still).qdd(still)))
      System.out.printf(Locale.ROOT, " %.4f", ((Number) tau).doubleValue());

    TrajectoryRequest motion = JSON.readValue(new File("motion.json"), TrajectoryRequest.class);
    Job job = finished(new TrajectoriesApi(CLIENT).createTrajectory(ROBOT, motion, null, null, "JO-1/60", "wait=60"));
    String trajectory = job.getResult().getHref().replaceFirst(".*/", "");
    System.out.printf("%nsamples %d%n",
        new TrajectoriesApi(CLIENT).getTrajectorySamples(trajectory, java.math.BigDecimal.TEN, null, null, null).getT().size());

    try {
      torques(new InverseDynamicsRequest().q(still).qdd(still));
    } catch (ApiException refused) {
      Problem problem = JSON.readValue(refused.getResponseBody(), Problem.class);
      System.out.println("refused " + problem.getType() + " " + problem.getErrors().get(0).getPointer());
    }
  }
}

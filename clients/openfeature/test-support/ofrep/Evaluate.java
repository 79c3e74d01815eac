import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.Client;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.OpenFeatureAPI;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Evaluates a flag for users (a JSON list on stdin) with OpenFeature's own provider; prints the details as JSON. */
class Evaluate {
    public static void main(String[] arguments) throws Exception {
        OfrepProviderOptions options = OfrepProviderOptions.builder()
                .baseUrl(System.getenv("BASE_URL"))
                .headers(ImmutableMap.of("X-API-Key", ImmutableList.of(System.getenv("API_KEY"))))
                .build();
        OpenFeatureAPI.getInstance().setProviderAndWait(OfrepProvider.constructProvider(options));
        Client client = OpenFeatureAPI.getInstance().getClient();
        ObjectMapper json = new ObjectMapper();
        String[] users = json.readValue(System.in, String[].class);
        List<Object> evaluated = Arrays.stream(users).parallel().map(user -> {
            FlagEvaluationDetails<String> details =
                    client.getStringDetails(arguments[0], "none", new ImmutableContext(user));
            Object code = details.getErrorCode() == null ? null : details.getErrorCode().name();
            return Arrays.asList(details.getValue(), details.getVariant(), details.getReason(), code);
        }).collect(Collectors.toList());
        System.out.print(json.writeValueAsString(evaluated));
        System.exit(0);
    }
}

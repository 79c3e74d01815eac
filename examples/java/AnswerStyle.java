import dev.assay.AssayClient;
import dev.assay.ModelCallFacts;
import dev.assay.PromptChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the experiment of {@code npm run demo} as a Java application would: see examples/README.md.
 *
 * <p>For each of 805 users it requests the variant's prompt and makes one model call. The calls are replayed:
 * prompt-variants.json has the length of each answer that gpt-3.5-turbo gave under each prompt.
 */
public final class AnswerStyle {
    private static final String EXPERIMENT = "answer-style";
    private static final Path DATA = Path.of("apps/server/src/demo/prompt-variants.json");
    private static final List<String> VARIANTS = List.of("base", "concise", "verbose");
    private static final int FIGURES = 3;

    private AnswerStyle() {}

    public static void main(String[] args) throws Exception {
        double[] asked = readNumbers("question_characters");
        double[] figures = readNumbers("items");
        int users = asked.length;
        // Each model call records an exposure; getPrompt would record a second one.
        try (AssayClient assay = AssayClient.builder()
                .experiments(EXPERIMENT)
                .trackExposures(false)
                .build()) {
            if (!assay.awaitReady(Duration.ofSeconds(5))) {
                System.err.println("No experiment " + EXPERIMENT + " at ASSAY_BASE_URL: see examples/README.md.");
                System.exit(1);
            }
            for (int user = 0; user < users; user++) {
                int first = user * VARIANTS.size() * FIGURES;
                serve(assay, String.format("user-%03d", user), (int) asked[user], figures, first);
            }
            boolean isDelivered = assay.flush(Duration.ofSeconds(60));
            System.out.println(users + " users served; everything delivered: " + (isDelivered ? "yes" : "no") + ".");
        }
    }

    /** Answers one user's question; {@code first} is the position of the answer's figures under each variant. */
    private static void serve(AssayClient assay, String user, int asked, double[] figures, int first)
            throws Exception {
        PromptChoice choice = assay.getPrompt(EXPERIMENT, user, "You are a helpful assistant.");
        int arm = Math.max(0, VARIANTS.indexOf(choice.variant()));
        double characters = figures[first + arm * FIGURES];
        double tokens = figures[first + arm * FIGURES + 1];
        long inputTokens = (choice.prompt().length() + asked + 3) / 4;
        assay.interceptModelCall(
                EXPERIMENT,
                user,
                () -> tokens,
                outputTokens -> ModelCallFacts.builder()
                        .prompt(choice.prompt())
                        .model("gpt-3.5-turbo-1106")
                        .inputTokens(inputTokens)
                        .outputTokens(outputTokens.longValue())
                        .build());
        track(assay, user, "answer_characters", characters);
    }

    private static void track(AssayClient assay, String user, String metric, double value) {
        assay.track(
                "business_event",
                Map.of("experiment_id", EXPERIMENT, "user_id", user, "business_metric", metric, "value", value));
    }

    /**
     * Returns the numbers of one of the file's lists in order. It reads them itself, because the
     * JDK has no JSON parser.
     */
    private static double[] readNumbers(String list) throws IOException {
        String json = Files.readString(DATA);
        int from = json.indexOf("\"" + list + "\"");
        int next = json.indexOf("\": ", from + list.length() + 3);
        String own = next < 0 ? json.substring(from) : json.substring(from, next);
        Matcher numbers = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?").matcher(own);
        return numbers.results()
                .mapToDouble(number -> Double.parseDouble(number.group()))
                .toArray();
    }
}

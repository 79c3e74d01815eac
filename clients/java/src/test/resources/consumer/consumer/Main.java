package consumer;

import dev.assay.AssayClient;
import dev.assay.Mask;
import dev.assay.ModelCallFacts;
import dev.assay.PromptChoice;
import dev.assay.UsageExtractor;
import java.time.Duration;
import java.util.Map;

/** Uses every type of the client's package and prints what it returns. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        Mask mask = (text, part) -> part == Mask.Part.PROMPT ? null : text;
        boolean isDelivered;
        try (AssayClient assay = AssayClient.builder().experiments("greeting").mask(mask).build()) {
            boolean isReady = assay.awaitReady(Duration.ofSeconds(60));
            PromptChoice choice = assay.getPrompt("greeting", "ann", "Answer.");
            Map<String, Object> variables = assay.getVariables("greeting", "ann", Map.of("temperature", 0.7));
            UsageExtractor<String> extractor =
                    answer -> ModelCallFacts.builder().prompt("a secret").response(answer).build();
            String answer = assay.interceptModelCall("greeting", "ann", () -> "Yes.", extractor);
            isDelivered = assay.flush();
            System.out.println(String.join(
                    " ",
                    String.valueOf(isReady),
                    choice.variant(),
                    String.valueOf(variables.get("temperature")),
                    answer,
                    String.valueOf(isDelivered),
                    String.valueOf(AssayClient.class.getModule().isNamed())));
        }
    }
}

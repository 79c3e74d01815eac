package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.textAt;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chat completions and legacy completions of OpenAI, Azure and compatible APIs. If there are several choices,
 * text and finish reason are the first one's; the usage covers all.
 */
final class OpenAiChat implements WireFormat {
    private static final FactFields ANSWER = FactFields.ofOpenAi("prompt_tokens", "completion_tokens");
    private static final FactFields COST = new FactFields().with("usage.cost", Fact.COST_USD);

    /** A chunk has a {@code delta} where a whole answer has a {@code message}. */
    @Override
    public void read(Object answer, Reading reading) {
        Object choices = at(answer, "choices");
        if (!(choices instanceof List)) {
            return;
        }
        reading.learnProvider("openai");
        ANSWER.learn(answer, reading);
        // OpenRouter reports the cost. For a call with the caller's own key, it reports only its fee.
        if (!Boolean.TRUE.equals(at(answer, "usage", "is_byok"))) {
            COST.learn(answer, reading);
        }
        Object first = firstChoice((List<?>) choices);
        Object message = at(first, "message");
        reading.addContent(isSomething(message) ? message : textAt(first, "text"));
        readDelta(at(first, "delta"), reading);
        String reason = textAt(first, "finish_reason");
        if (!reason.isEmpty()) {
            reading.learn(Fact.FINISH_REASON, reason);
            reading.endParts();
        }
    }

    private static Object firstChoice(List<?> choices) {
        for (Object choice : choices) {
            if (!isSomething(at(choice, "index"))) {
                return choice;
            }
        }
        return null;
    }

    /**
     * Text is added as it arrives. Tool calls may arrive at the same time: they are added when the choice ends.
     */
    private static void readDelta(Object delta, Reading reading) {
        Object[] texts = {at(delta, "content"), at(delta, "refusal"), at(delta, "audio", "transcript")};
        for (Object text : texts) {
            if (isSomething(text)) {
                reading.addContent(text);
                break;
            }
        }
        for (Object call : ForeignValue.listOf(at(delta, "tool_calls"))) {
            Object called = at(call, "function");
            Object index = at(call, "index");
            if (!textAt(called, "name").isEmpty()) {
                Map<Object, Object> part = new LinkedHashMap<>((Map<?, ?>) called);
                part.put("arguments", "");
                reading.beginPart(index, part);
            }
            reading.addArguments(index, textAt(called, "arguments"));
        }
    }
}

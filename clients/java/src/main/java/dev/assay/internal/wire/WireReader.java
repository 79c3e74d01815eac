package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.firstOf;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.textAt;

import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a provider's request and response in any of the known formats. */
public final class WireReader {
    /** The {@code outcome} of a response that goes on in the background: the call returned before it ended. */
    public static final String BACKGROUND = "background";

    private static final List<WireFormat> FORMATS = List.of(
            new OpenAiChat(),
            new OpenAiEmbeddings(),
            new OpenAiResponses(),
            new AnthropicMessages(),
            new GoogleGenerateContent(),
            new ProviderError());

    private final Reading reading = new Reading();
    private Map<String, Object> settings = Map.of();
    private boolean isStream;

    private WireReader(boolean isStream) {
        this.isStream = isStream;
    }

    /** Starts reading a call whose answer comes as parsed JSON: whole, or in the chunks of a stream. */
    public static WireReader ofParsed(boolean isStream) {
        return new WireReader(isStream);
    }

    /**
     * Returns the facts in the texts about a model call, by field. Text that is not JSON, or has an unknown
     * shape, adds nothing.
     *
     * @param request the body of the request, JSON; null when it is not known
     * @param response the body of the answer, JSON or server-sent events, whole or broken off; null: none
     */
    public static Map<String, Object> read(String request, String response) {
        WireReader reader = new WireReader(false);
        try {
            if (request != null) {
                reader.readRequest(parse(request));
            }
            if (response != null) {
                reader.readResponse(response);
            }
        } catch (StackOverflowError e) {
            // The caller's stack was nearly full, so the rest is left out.
        }
        return reader.toFields();
    }

    /** Sets the provider, which the answer does not name; null: unknown. */
    public void nameProvider(String provider) {
        reading.learn(Fact.PROVIDER, provider);
    }

    /** Returns whether any text or tool call has arrived. */
    public boolean hasResponse() {
        return reading.hasResponse();
    }

    /** Returns the facts read so far, by field. */
    public Map<String, Object> toFields() {
        boolean isEstimated = isStream && reading.isCut() && reading.estimateUsage();
        Map<String, Object> fields = reading.toFields();
        if (isEstimated) fields.put("usage_estimated", true);
        Map<String, Object> metadata = new LinkedHashMap<>(settings);
        if (!isStream && reading.isWaiting()) metadata.put("outcome", BACKGROUND);
        if (!metadata.isEmpty()) fields.put("metadata", metadata);
        return fields;
    }

    /** Most providers use the same names for the input of a call; Google has its own. */
    public void readRequest(Object body) {
        settings = Sampling.of(body);
        reading.learn(Fact.REQUESTED_MODEL, textAt(body, "model"));
        Object contents = at(body, "contents");
        Object messages = firstOf(at(body, "messages"), at(body, "input"), at(body, "prompt"));
        Object system = firstOf(at(body, "system"), at(body, "instructions"));
        if (contents != null) {
            // Messages, or a string or the parts of one user message.
            Object first = contents instanceof List ? at(contents, "0") : contents;
            boolean isMessages = isSomething(at(first, "parts"));
            messages = isMessages ? contents : Map.of("role", "user", "content", contents);
            system = firstOf(at(body, "systemInstruction"), at(body, "config", "systemInstruction"));
        }
        reading.learn(Fact.PROMPT, CallText.ofMessages(messages, system));
    }

    private void readResponse(String text) {
        String body = text.stripLeading();
        if (body.startsWith("{") || body.startsWith("[")) {
            // Google streams a list of chunks unless events are requested.
            isStream = body.startsWith("[");
            ForeignValue.listOf(parse(body)).forEach(this::readAnswer);
        } else {
            isStream = true;
            ServerSentEvents.forEach(text, data -> readAnswer(parse(data)));
        }
    }

    /** Reads a whole answer, or a chunk. */
    public void readAnswer(Object answer) {
        for (WireFormat format : FORMATS) {
            format.read(answer, reading);
        }
    }

    private static Object parse(String text) {
        try {
            return Json.parse(text);
        } catch (JsonException e) {
            return null;
        }
    }
}

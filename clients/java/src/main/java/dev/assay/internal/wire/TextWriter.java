package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.firstOf;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.toText;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Builds a text from pieces by the rules of {@link CallText}, and keeps as much of it as they allow.
 */
final class TextWriter {
    private static final int MAX_PARTS = 1_000;
    private static final Pattern UNSAID = Pattern.compile("thinking|reasoning|^source");
    private static final Pattern MEDIA = Pattern.compile("image|audio|video|document|file");
    private static final String[] NESTED = {"content", "parts", "audio", "tool_calls", "output", "value"};

    private final StringBuilder text = new StringBuilder();
    private String gap = "";
    private int partsLeft;

    /** Adds a message, its content or a part of it. */
    TextWriter write(Object content) {
        partsLeft = MAX_PARTS;
        read(content);
        return this;
    }

    boolean isEmpty() {
        return text.length() == 0;
    }

    /** Returns the text so far. */
    @Override
    public String toString() {
        return text.toString();
    }

    private void read(Object part) {
        if (partsLeft-- <= 0) {
            return;
        }
        if (part instanceof String) {
            writeText((String) part);
        } else if (part instanceof List) {
            List<?> parts = (List<?>) part;
            parts.subList(0, Math.min(parts.size(), MAX_PARTS)).forEach(this::read);
        } else if (part instanceof Map) {
            readObject(part);
        }
    }

    private void writeText(String more) {
        if (more.isEmpty()) {
            return;
        }
        CallText.appendBounded(text, (text.length() == 0 ? "" : gap) + CallText.withoutMedia(more));
        gap = "";
    }

    private void readObject(Object part) {
        String type = at(part, "type") == null ? "" : toText(at(part, "type"));
        if (isSomething(at(part, "thought")) || UNSAID.matcher(type).find()) {
            return;
        }
        Object said = firstOf(at(part, "text"), at(part, "refusal"), at(part, "transcript"));
        boolean isText = said instanceof String;
        writeText(isText ? (String) said : "");
        Object line = firstOf(lineOf(part, type), isText || type.isEmpty() ? null : "[" + type + "]");
        if (!isSomething(line)) {
            return;
        }
        gap = "\n";
        read(line);
        gap = "\n";
    }

    /** The form of a part that is not text: it gets its own line. */
    private static Object lineOf(Object part, String type) {
        Object line = firstOf(toolCallOf(part), mediaOf(part, type), resultOf(part, type));
        if (line != null) {
            return line;
        }
        List<Object> nested = new ArrayList<>();
        for (String field : NESTED) {
            Object value = at(part, field);
            if (isSomething(value)) {
                nested.add(value);
            }
        }
        return nested.isEmpty() ? null : nested;
    }

    private static String toolCallOf(Object part) {
        Object inner = firstOf(at(part, "function"), at(part, "functionCall"), at(part, "custom"));
        Object call = inner == null ? part : inner;
        Object name = firstOf(at(call, "name"), at(call, "toolName"));
        Object arguments =
                firstOf(at(call, "arguments"), at(call, "args"), at(call, "input"), inner == null ? null : Map.of());
        boolean isCall = isSomething(name) && arguments != null;
        return isCall ? "[tool_call " + toText(name) + "(" + toText(arguments) + ")]" : null;
    }

    private static String mediaOf(Object part, String type) {
        Object source = firstOf(at(part, "inlineData"), at(part, "fileData"));
        Object mediaType = firstOf(at(source, "mimeType"), at(part, "mediaType"), "");
        Matcher kind = MEDIA.matcher(toText(mediaType) + " " + type + (isSomething(source) ? " file" : ""));
        return kind.find() ? "[" + kind.group() + "]" : null;
    }

    private static String resultOf(Object part, String type) {
        return toText(firstOf(
                at(part, "functionResponse", "response"),
                at(part, "result"),
                type.equals("content") ? null : at(part, "value")));
    }
}

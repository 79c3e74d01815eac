package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.firstOf;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.listOf;
import static dev.assay.internal.wire.ForeignValue.toText;

import dev.assay.internal.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text of prompts and responses. Every client library follows the same rules.
 *
 * <ul>
 *   <li>Texts and refusals are joined unchanged. A recording with a transcript counts as its transcript.
 *   <li>The model's reasoning is left out.
 *   <li>A tool call becomes {@code [tool_call name(arguments as JSON)]}. A tool result becomes its text or
 *       JSON.
 *   <li>Media becomes {@code [image]}, {@code [audio]}, {@code [video]}, {@code [document]} or {@code
 *       [file]}. Any other part becomes {@code [type]}.
 *   <li>Anything but text gets its own line.
 *   <li>A base64 {@code data:} URL inside a text is replaced by its type: {@code [image/png removed]}.
 *   <li>Messages become {@code role: text}, separated by blank lines. A single user message that is a plain
 *       string stays that string.
 *   <li>At most 64 KiB of UTF-8 are kept, including the mark {@code …[cut]} at the end of a longer text.
 * </ul>
 *
 * <p>These methods accept any input: nothing throws, and the time is linear in the length of the texts.
 */
public final class CallText {
    static final int MAX_TEXT_BYTES = 65_536;
    private static final String CUT_MARK = "\u2026[cut]";
    private static final int CUT_MARK_BYTES = 8;
    private static final String DATA_URL = "data:";
    private static final String BASE64 = ";base64,";

    private CallText() {}

    /**
     * Returns a text unchanged, and anything else as JSON. Throws if it cannot be written as JSON.
     *
     * @return null for null
     */
    public static String of(Object value) {
        return value instanceof String ? (String) value : toText(value == null ? null : Json.parse(Json.write(value)));
    }

    /**
     * Returns at most 64 KiB of the text in UTF-8, cut at a character boundary and marked, without its data
     * URLs.
     */
    public static String bound(String text) {
        String clean = withoutMedia(text);
        // A UTF-16 unit takes 3 bytes at most.
        boolean isShort = clean.length() * 3L <= MAX_TEXT_BYTES
                || cut(clean, MAX_TEXT_BYTES).length() == clean.length();
        return isShort ? clean : cut(clean, MAX_TEXT_BYTES - CUT_MARK_BYTES) + CUT_MARK;
    }

    /** Appends as long as {@code bound} would keep any of it. */
    static void appendBounded(StringBuilder text, String more) {
        text.append(more, 0, Math.min(more.length(), Math.max(0, MAX_TEXT_BYTES + 1 - text.length())));
    }

    /** Returns the text of messages, one or a list, each an object or a string; null for nothing. */
    static String ofMessages(Object messages, Object system) {
        List<Object> all = new ArrayList<>();
        if (isSomething(system)) {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("role", "system");
            message.put("content", system);
            all.add(message);
        }
        // A missing value counts as an empty one.
        all.addAll(messages == null ? Collections.singletonList(null) : listOf(messages));
        StringBuilder text = new StringBuilder();
        for (Object message : all) {
            boolean isString = firstOf(at(message, "content"), message) instanceof String;
            Object role = firstOf(at(message, "role"), isString ? "user" : null);
            String said = new TextWriter().write(message).toString();
            if (all.size() == 1 && isString && "user".equals(role)) {
                return said;
            }
            String gap = text.length() == 0 ? "" : "\n\n";
            appendBounded(text, gap + (isSomething(role) ? toText(role) + ": " : "") + said);
            if (text.length() > MAX_TEXT_BYTES) {
                break;
            }
        }
        return text.toString();
    }

    /**
     * Replaces each base64 data URL with {@code [type removed]}. Linear in the length of the text.
     */
    static String withoutMedia(String text) {
        StringBuilder clean = null;
        int kept = 0;
        for (int start = text.indexOf(DATA_URL); start >= 0; start = text.indexOf(DATA_URL, start + 1)) {
            int type = start + DATA_URL.length();
            int typeEnd = skip(text, type, ".+/-");
            int comma = skip(text, typeEnd, ".+=;-");
            boolean isMedia = typeEnd > type && text.startsWith(BASE64, comma - BASE64.length() + 1);
            if (!isMedia) {
                continue;
            }
            clean = clean == null ? new StringBuilder() : clean;
            clean.append(text, kept, start)
                    .append('[')
                    .append(text, type, typeEnd)
                    .append(" removed]");
            kept = skip(text, comma + 1, "+/=-");
            // The search continues after it.
            start = kept - 1;
        }
        return clean == null ? text : clean.append(text, kept, text.length()).toString();
    }

    /** Returns where the letters, digits, underscores and other characters that begin there end. */
    private static int skip(String text, int from, String others) {
        int end = from;
        while (end < text.length()) {
            char unit = text.charAt(end);
            boolean isWord = unit >= 'a' && unit <= 'z'
                    || unit >= 'A' && unit <= 'Z'
                    || unit >= '0' && unit <= '9'
                    || unit == '_';
            if (!isWord && others.indexOf(unit) < 0) {
                break;
            }
            end++;
        }
        return end;
    }

    /** Cuts the text at a character boundary to at most this many bytes of UTF-8. */
    private static String cut(String text, int maxBytes) {
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                break;
            }
            end += Character.charCount(character);
        }
        return text.substring(0, end);
    }
}

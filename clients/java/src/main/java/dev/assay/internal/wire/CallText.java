package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.firstOf;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.listOf;
import static dev.assay.internal.wire.ForeignValue.toText;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text of prompts and responses, by rules that every client library follows.
 *
 * <ul>
 *   <li>Texts and refusals are joined as they are; a recording with a transcript is its transcript.
 *   <li>What the model thought to itself is left out.
 *   <li>A call of a tool is {@code [tool_call name(arguments as JSON)]}, the result of one is its text, or
 *       its JSON.
 *   <li>Media is {@code [image]}, {@code [audio]}, {@code [video]}, {@code [document]} or {@code [file]}, any
 *       other part is {@code [type]}.
 *   <li>Whatever is not a text stands on a line of its own.
 *   <li>Of a {@code data:} URL in base64 inside a text only the type is kept: {@code [image/png removed]}.
 *   <li>Messages are {@code role: text}, with blank lines in between; a lone message of the user that is a
 *       plain string is that string.
 *   <li>At most 64 KiB of UTF-8 are kept, the mark {@code …[cut]} at the end of a longer text included.
 * </ul>
 *
 * <p>Everything here is total: no shape throws, and none takes longer than its texts are.
 */
public final class CallText {
    static final int MAX_TEXT_BYTES = 65_536;
    private static final String CUT_MARK = "\u2026[cut]";
    private static final int CUT_MARK_BYTES = 8;
    private static final String DATA_URL = "data:";
    private static final String BASE64 = ";base64,";

    private CallText() {}

    /**
     * Returns at most 64 KiB of the text in UTF-8, cut between characters and marked, its data URLs removed.
     */
    public static String bound(String text) {
        String clean = withoutMedia(text);
        // A UTF-16 unit takes 3 bytes at most.
        boolean isShort = clean.length() * 3L <= MAX_TEXT_BYTES
                || cut(clean, MAX_TEXT_BYTES).length() == clean.length();
        return isShort ? clean : cut(clean, MAX_TEXT_BYTES - CUT_MARK_BYTES) + CUT_MARK;
    }

    /** Appends for as long as {@code bound} would keep any of it. */
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
        // None at all is one that says nothing.
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
     * Puts {@code [type removed]} in the place of each data URL in base64. Linear in the length of the text.
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
            // The search goes on behind it.
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

    /** Cuts the text between characters to at most so many bytes of UTF-8. */
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

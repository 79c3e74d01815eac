package dev.assay.internal.wire;

import java.util.function.Consumer;

/** Reads the {@code data} of server-sent events, as the HTML standard defines the format. */
final class ServerSentEvents {
    private static final String DATA = "data:";
    /** Ends the streams of OpenAI and compatible APIs. */
    private static final String DONE = "[DONE]";

    private ServerSentEvents() {}

    /**
     * Passes on the data of each event in the text, one at a time, including an event cut off at
     * the end of the text.
     */
    static void forEach(String text, Consumer<String> onData) {
        StringBuilder data = new StringBuilder();
        int start = 0;
        while (start <= text.length()) {
            int end = lineEnd(text, start);
            if (end == start && data.length() > 0) {
                if (isDone(data)) {
                    return;
                }
                onData.accept(data.substring(1));
                data.setLength(0);
            } else if (text.startsWith(DATA, start)) {
                int from = start + DATA.length();
                boolean isSpaced = from < end && text.charAt(from) == ' ';
                data.append('\n').append(text, isSpaced ? from + 1 : from, end);
            }
            start = text.startsWith("\r\n", end) ? end + 2 : end + 1;
        }
        if (data.length() > 0 && !isDone(data)) {
            onData.accept(data.substring(1));
        }
    }

    private static boolean isDone(StringBuilder data) {
        return data.indexOf(DONE) == 1;
    }

    private static int lineEnd(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
            end++;
        }
        return end;
    }
}

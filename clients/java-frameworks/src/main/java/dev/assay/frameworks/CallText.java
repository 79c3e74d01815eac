package dev.assay.frameworks;

/**
 * The text of prompts and responses, by the same rules as in every client: messages are {@code role: text},
 * separated by a blank line, and a lone message of the user is just its text. Everything but text has its own
 * line.
 */
public final class CallText {
    private final StringBuilder text = new StringBuilder();
    private int messages;
    private String only;

    /** Starts with no text. */
    public CallText() {}

    /**
     * Adds a message.
     *
     * @param role who said it: {@code system}, {@code user}, {@code assistant} or {@code tool}
     * @param said its text, or null
     * @return this
     */
    public CallText message(String role, String said) {
        String known = said == null ? "" : said;
        only = role.equals("user") ? known : null;
        if (messages++ > 0) text.append("\n\n");
        text.append(role).append(": ").append(known);
        return this;
    }

    /**
     * Adds a tool call to a text.
     *
     * @param said the text before it, or null
     * @param name the tool
     * @param arguments its arguments, JSON
     * @return the text with the call
     */
    public static String withToolCall(String said, String name, String arguments) {
        String before = said == null || said.isEmpty() ? "" : said + "\n";
        return before + "[tool_call " + name + "(" + (arguments == null ? "" : arguments) + ")]";
    }

    /** Returns the text of all messages. */
    @Override
    public String toString() {
        return messages == 1 && only != null ? only : text.toString();
    }
}

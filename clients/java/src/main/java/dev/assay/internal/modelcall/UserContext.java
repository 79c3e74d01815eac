package dev.assay.internal.modelcall;

import dev.assay.CallOptions;
import dev.assay.Work;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this thread runs for: a user, a conversation, a run. Threads started by the code do not inherit it. */
public final class UserContext {
    private static final UserContext NOWHERE = new UserContext(CallOptions.create(), null, null);
    private static final ThreadLocal<UserContext> CURRENT = new ThreadLocal<>();

    /** The options of the innermost {@code withUser}. */
    final CallOptions options;

    /** The id of the innermost {@code withConversation}; null outside. */
    final String conversation;

    /** The id of the innermost {@code withRun}; null outside. */
    final String run;

    private UserContext(CallOptions options, String conversation, String run) {
        this.options = options;
        this.conversation = textOrNull(conversation);
        this.run = textOrNull(run);
    }

    /** Returns the context of this thread, never null. */
    static UserContext current() {
        UserContext current = CURRENT.get();
        return current == null ? NOWHERE : current;
    }

    /** Runs code as a user. */
    public static <T, E extends Exception> T run(CallOptions options, Work<T, E> work) throws E {
        return within(new UserContext(options, current().conversation, current().run), work);
    }

    /** Runs code in a conversation. */
    public static <T, E extends Exception> T inConversation(String id, Work<T, E> work) throws E {
        return within(new UserContext(current().options, id, current().run), work);
    }

    /** Runs code in a run. */
    public static <T, E extends Exception> T inRun(String id, Work<T, E> work) throws E {
        return within(new UserContext(current().options, current().conversation, id), work);
    }

    private static <T, E extends Exception> T within(UserContext context, Work<T, E> work) throws E {
        UserContext before = CURRENT.get();
        CURRENT.set(context);
        try {
            return work.run();
        } finally {
            // Leaves nothing behind on pool threads.
            if (before == null) CURRENT.remove();
            else CURRENT.set(before);
        }
    }

    /**
     * Returns the id of the unit of this kind: the given id, or else the context's. Null if it is unknown, or if
     * the kind is null because the experiment assigns users.
     */
    public static String unit(String kind, String given) {
        if (kind == null) return null;
        String id = given;
        if (id == null && "conversation".equals(kind)) id = current().conversation;
        if (id == null && "run".equals(kind)) id = current().run;
        return isId(id) ? id : null;
    }

    /** Returns whether a text can be the id of a user or a unit: the service refuses any other. */
    public static boolean isId(String text) {
        return text != null && !text.isEmpty() && text.codePointCount(0, text.length()) <= 256;
    }

    /**
     * Returns the payload of an event with the context's run and unit of this kind, unless the payload names its
     * own.
     *
     * @param kind what the event's experiment assigns; null: users
     */
    public static Map<String, ?> place(Map<String, ?> payload, String kind) {
        UserContext context = current();
        if (payload == null || (context.run == null && context.conversation == null)) return payload;
        Map<String, Object> placed = new LinkedHashMap<>();
        if (context.run != null) placed.put("run_id", context.run);
        if (unit(kind, null) != null) placed.put("unit_id", unit(kind, null));
        placed.putAll(payload);
        return placed;
    }

    private static String textOrNull(String id) {
        return id == null || id.isEmpty() ? null : id;
    }
}

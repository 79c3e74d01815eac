package dev.assay.internal.modelcall;

import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import java.util.Map;

/** What recording model calls needs from the client. */
public interface Host {
    /** Finds the user's variant without recording an exposure; null for none. */
    Assignment findAssignment(String experiment, String user);

    /** Enqueues an event. */
    void track(String event, Map<String, ?> payload);

    /** Returns the client's mask, or null for none. */
    Mask mask();

    /** Logs the message once. */
    void warnOnce(String message);

    /** Runs it before each flush, as long as something else refers to it. It must not throw. */
    default void beforeFlush(Runnable settle) {}
}

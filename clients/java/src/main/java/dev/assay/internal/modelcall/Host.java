package dev.assay.internal.modelcall;

import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import java.util.Map;

/** What the recording of model calls needs of the client. */
public interface Host {
    /** Finds the user's variant without recording an exposure; null: there is none. */
    Assignment findAssignment(String experiment, String user);

    /** Enqueues an event. */
    void track(String event, Map<String, ?> payload);

    /** Returns the client's mask, or null for none. */
    Mask mask();

    /** Logs the message once. */
    void warnOnce(String message);

    /** Has it run before each flush, as long as something else holds it; must not throw. */
    default void beforeFlush(Runnable settle) {}
}

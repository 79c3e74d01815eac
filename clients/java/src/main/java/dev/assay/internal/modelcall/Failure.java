package dev.assay.internal.modelcall;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Reads what a call threw. */
final class Failure {
    /** The service refuses longer names. */
    private static final int MAX_NAME = 200;

    private static final int MAX_CAUSES = 20;

    private Failure() {}

    /** Returns the simple name of the class, or of the cause if a future only wraps it. */
    static String typeOf(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && isWrapper(cause) && cause.getCause() != null; i++) {
            cause = cause.getCause();
        }
        Class<?> type = cause.getClass();
        // An anonymous class has no name.
        while (type.getSimpleName().isEmpty()) {
            type = type.getSuperclass();
        }
        return shorten(type.getSimpleName());
    }

    /**
     * Returns whether the caller interrupted or canceled the call, even if that exception is
     * wrapped in others.
     */
    static boolean isAbort(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof InterruptedException
                    || cause instanceof CancellationException
                    || cause instanceof ClosedByInterruptException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Returns as much of the name as the service takes. */
    static String shorten(String name) {
        return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
    }

    private static boolean isWrapper(Throwable thrown) {
        return thrown instanceof CompletionException || thrown instanceof ExecutionException;
    }
}

package dev.assay.internal.modelcall;

import dev.assay.CallOptions;
import dev.assay.ModelCallFacts;
import dev.assay.UsageExtractor;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Makes model calls and records them. Returns and throws exactly what the call does, never an error of the
 * recording.
 */
public final class ModelCalls {
    private static final int FIRST_ERROR_STATUS = 400;

    private ModelCalls() {}

    /**
     * Makes the call on this thread.
     *
     * @param extractor reads the result; null: the formats of the known providers are recognized
     */
    public static <T> T intercept(
            Host host, String experiment, String user, Callable<T> call, UsageExtractor<? super T> extractor)
            throws Exception {
        return interceptFor(host, experiment, CallOptions.create().user(user), call, extractor);
    }

    /** Makes the call for the user and the unit in the options, as above. */
    public static <T> T interceptFor(
            Host host, String experiment, CallOptions options, Callable<T> call, UsageExtractor<? super T> extractor)
            throws Exception {
        CallRecord record = CallRecord.start(host, experiment, options);
        if (record == null) {
            return call.call();
        }
        T result;
        try {
            result = ObservedExperiments.inside(record.experimentId(), call::call);
        } catch (Throwable thrown) {
            // If a library turns an interrupt into its own error, the thread is still marked as interrupted.
            record.fail(thrown, Thread.currentThread().isInterrupted(), Map.of());
            throw thrown;
        }
        finish(record, result, extractor);
        return result;
    }

    /**
     * Starts the call on this thread and returns the same stage that it returns. Nested calls are recognized
     * only if they start on this thread.
     *
     * @param extractor as above
     */
    public static <T> CompletionStage<T> interceptAsync(
            Host host,
            String experiment,
            String user,
            Supplier<? extends CompletionStage<T>> call,
            UsageExtractor<? super T> extractor) {
        return interceptAsyncFor(host, experiment, CallOptions.create().user(user), call, extractor);
    }

    /** Starts the call for the user and the unit in the options, as above. */
    public static <T> CompletionStage<T> interceptAsyncFor(
            Host host,
            String experiment,
            CallOptions options,
            Supplier<? extends CompletionStage<T>> call,
            UsageExtractor<? super T> extractor) {
        CallRecord record = CallRecord.start(host, experiment, options);
        if (record == null) {
            return call.get();
        }
        CompletionStage<T> stage;
        try {
            stage = ObservedExperiments.inside(record.experimentId(), call::get);
        } catch (Throwable thrown) {
            record.fail(thrown, Thread.currentThread().isInterrupted(), Map.of());
            throw thrown;
        }
        watch(host, stage, record, extractor);
        return stage;
    }

    private static <T> void watch(
            Host host, CompletionStage<T> stage, CallRecord record, UsageExtractor<? super T> extractor) {
        try {
            AsyncCall<T> pending = new AsyncCall<>(stage, record, extractor);
            host.beforeFlush(pending);
            stage.whenComplete(pending);
        } catch (Throwable e) {
            // Not a stage, or one that cannot be watched. The caller still gets it.
            record.finish(Map.of());
        }
    }

    static <T> void finish(CallRecord record, T result, UsageExtractor<? super T> extractor) {
        double latencyMs = record.sinceStartMs();
        ModelCallFacts facts = null;
        try {
            facts = extractor == null ? recognise(result) : extractor.extract(result);
        } catch (Throwable e) {
            record.warnOnce("extractor threw");
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
        ModelCallFacts known = facts == null ? ModelCallFacts.builder().build() : facts;
        record.finish(withStatus(result, known).fields(), latencyMs);
    }

    private static ModelCallFacts recognise(Object result) {
        Object body = result instanceof HttpResponse ? ((HttpResponse<?>) result).body() : result;
        return body instanceof String ? ModelCallFacts.fromWire(null, (String) body) : null;
    }

    /** The JDK's HTTP client does not throw for any status. */
    private static ModelCallFacts withStatus(Object result, ModelCallFacts facts) {
        if (!(result instanceof HttpResponse) || facts.fields().containsKey("error_type")) {
            return facts;
        }
        int status = ((HttpResponse<?>) result).statusCode();
        return status < FIRST_ERROR_STATUS
                ? facts
                : facts.toBuilder().errorType("http_" + status).build();
    }
}

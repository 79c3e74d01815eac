package dev.assay;

import dev.assay.internal.modelcall.CallRecord;
import dev.assay.internal.modelcall.ObservedExperiments;
import java.util.Map;

/**
 * A model call that {@link AssayClient#startModelCall} began to record. The first of {@link #finish}, {@link #abort}
 * and {@link #fail} records it; later ones are ignored. Any thread may call the methods, which throw no exceptions of
 * their own. If the call should not be recorded, they do nothing.
 */
public final class ModelCall {
    private static final ModelCallFacts NO_FACTS = ModelCallFacts.builder().build();

    private final CallRecord record;

    ModelCall(CallRecord record) {
        this.record = record;
    }

    /** Records the time of the first token; later calls change nothing. */
    public void firstToken() {
        if (record != null) record.noteFirstToken();
    }

    /**
     * Runs code that makes the call on this thread. If something else observes the call inside it for the same
     * experiment, the call is not counted again.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T run(Work<T, E> work) throws E {
        return record == null ? work.run() : ObservedExperiments.inside(record.experimentId(), work);
    }

    /**
     * Records the call as ended.
     *
     * @param facts what is known about it; null: nothing
     */
    public void finish(ModelCallFacts facts) {
        if (record != null) record.finish(fieldsOf(facts));
    }

    /**
     * Records the call as aborted: the caller did not want the rest of it. This is not an error.
     *
     * @param facts what is known about it; null: nothing
     */
    public void abort(ModelCallFacts facts) {
        if (record != null) record.abort(fieldsOf(facts));
    }

    /**
     * Records the call as failed. An interrupt or a cancellation counts as {@link #abort}.
     *
     * @param thrown what it threw
     * @param facts what is known about it; null: nothing
     */
    public void fail(Throwable thrown, ModelCallFacts facts) {
        if (record != null) record.fail(thrown, false, fieldsOf(facts));
    }

    private static Map<String, Object> fieldsOf(ModelCallFacts facts) {
        return (facts == null ? NO_FACTS : facts).fields();
    }
}

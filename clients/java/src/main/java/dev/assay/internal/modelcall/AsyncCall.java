package dev.assay.internal.modelcall;

import dev.assay.UsageExtractor;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * A call whose result comes later. A completed stage may wake a waiting thread before it runs its
 * callbacks, so flush and close check the stage themselves. Only the stage holds a strong reference
 * to this object.
 */
final class AsyncCall<T> implements BiConsumer<T, Throwable>, Runnable {
    /** The extractor is the caller's code: if it hangs, a flush must not wait longer than this. */
    private static final long LONGEST_WAIT_MS = 1_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final CompletionStage<T> stage;
    private final CallRecord record;
    private final UsageExtractor<? super T> extractor;
    private boolean isRecorded;

    AsyncCall(CompletionStage<T> stage, CallRecord record, UsageExtractor<? super T> extractor) {
        this.stage = stage;
        this.record = record;
        this.extractor = extractor;
    }

    /**
     * Records the call unless it is recorded already. If another thread is recording it, waits for that
     * thread.
     */
    @Override
    public void accept(T result, Throwable thrown) {
        lock.lock();
        try {
            if (isRecorded) return;
            isRecorded = true;
            if (thrown == null) ModelCalls.finish(record, result, extractor);
            else record.fail(thrown, false, Map.of());
        } finally {
            lock.unlock();
        }
    }

    /** Records the call if it has ended. */
    @Override
    public void run() {
        try {
            CompletableFuture<T> future = stage.toCompletableFuture();
            if (!future.isDone() || !lock.tryLock(LONGEST_WAIT_MS, TimeUnit.MILLISECONDS)) return;
            try {
                // If the future is done already, this runs at once, on this thread.
                future.whenComplete(this);
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // Some stages cannot say whether they are done.
        }
    }
}

package dev.assay.internal.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** Reads the body of a response up to a maximum size. Stopping it closes the connection. */
final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final int maxBytes;
    private final CompletableFuture<byte[]> result = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private Flow.Subscription subscription;
    private boolean isCancelled;

    BoundedBody(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Passes on the whole body, on the thread that reads it. */
    void whenRead(Consumer<byte[]> then) {
        result.thenAccept(then);
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        synchronized (this) {
            subscription = given;
            if (!isCancelled) {
                given.request(Long.MAX_VALUE);
                return;
            }
        }
        given.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (received.size() + buffer.remaining() > maxBytes) {
                result.completeExceptionally(new IOException("answer over " + maxBytes + " bytes"));
                cancel();
                return;
            }
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            received.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable error) {
        result.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        result.complete(received.toByteArray());
    }

    /** Stops reading, now or as soon as the body arrives. */
    void cancel() {
        Flow.Subscription current;
        synchronized (this) {
            isCancelled = true;
            current = subscription;
        }
        // A body that never ends would keep the JDK's client and its thread alive forever.
        result.completeExceptionally(new IOException("no answer"));
        if (current != null) current.cancel();
    }
}

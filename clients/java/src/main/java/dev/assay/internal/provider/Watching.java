package dev.assay.internal.provider;

import java.lang.reflect.Method;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Watches a call's result until the call ends. */
final class Watching {
    /** Repeats a call without our addition. */
    @FunctionalInterface
    interface Retry {
        Object make() throws Throwable;
    }

    private final ObservedCall call;
    private final boolean isUsageAsked;
    private Predicate<Throwable> isRefusal = thrown -> false;
    private Retry again = () -> null;

    /** {@code isUsageAsked}: a stream has a last chunk that the caller did not request. */
    Watching(ObservedCall call, boolean isUsageAsked) {
        this.call = call;
        this.isUsageAsked = isUsageAsked;
    }

    /** A failure after the call has returned is retried once. */
    void retryWhen(Predicate<Throwable> refusal, Retry retry) {
        isRefusal = refusal;
        again = retry;
    }

    /** Returns the result, or a view of it that behaves the same. */
    Object watch(Object result) {
        if (result instanceof CompletableFuture) return watchFuture((CompletableFuture<?>) result);
        switch (kindOf(result)) {
            case "StreamResponse":
                call.beginStream(isUsageAsked);
                return Proxies.viewOrTarget(new WatchedStream(result, call));
            case "AsyncStreamResponse":
                call.beginStream(isUsageAsked);
                return new WatchedAsyncStream(call, result).view(isRefusal, again);
            case "HttpResponseFor":
                return Proxies.viewOrTarget(new RawResponse(result));
            default:
                call.finishWith(result);
                return result;
        }
    }

    /** The name of the interface that marks such a result in both libraries. */
    private static String kindOf(Object result) {
        if (result == null) return "";
        for (Class<?> type = result.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> each : type.getInterfaces()) {
                if (each.getName()
                        .matches(".*\\.core\\.http\\.(Async)?StreamResponse|.*\\.core\\.http\\.HttpResponseFor")) {
                    return each.getSimpleName();
                }
            }
        }
        return "";
    }

    /** The returned future completes after the call is recorded. */
    private CompletableFuture<Object> watchFuture(CompletableFuture<?> made) {
        CompletableFuture<Object> given = made.handle((result, thrown) -> {
                    if (thrown == null) return CompletableFuture.completedFuture(watch(result));
                    if (isRefusal.test(thrown)) return secondFuture();
                    call.fail(thrown);
                    return CompletableFuture.failedFuture(thrown);
                })
                .thenCompose(next -> next);
        given.whenComplete((result, thrown) -> {
            if (thrown instanceof CancellationException) call.abandon();
        });
        return given;
    }

    private CompletableFuture<Object> secondFuture() {
        try {
            return new Watching(call, false).watchFuture((CompletableFuture<?>) again.make());
        } catch (Throwable thrown) {
            call.fail(thrown);
            return CompletableFuture.failedFuture(new CompletionException(thrown));
        }
    }

    /** A stream; {@code close} ends the call if nothing else has. */
    private static final class WatchedStream extends Proxies.View {
        private final ObservedCall call;

        WatchedStream(Object target, ObservedCall call) {
            super(target);
            this.call = call;
        }

        @Override
        Object call(Object view, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("close")) call.abandon();
            Object result = pass(method, arguments);
            if (!(result instanceof Stream)) return result;
            Stream<?> chunks = (Stream<?>) result;
            return StreamSupport.stream(new Chunks<>(chunks.spliterator(), call), false)
                    .onClose(call::abandon)
                    .onClose(chunks::close);
        }
    }

    /** The chunks of a stream; each is read before the caller gets it. */
    private static final class Chunks<T> extends Spliterators.AbstractSpliterator<T> {
        private final Spliterator<T> chunks;
        private final ObservedCall call;

        Chunks(Spliterator<T> chunks, ObservedCall call) {
            super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
            this.chunks = chunks;
            this.call = call;
        }

        @Override
        public boolean tryAdvance(Consumer<? super T> action) {
            Holder<T> next = new Holder<>();
            do {
                try {
                    if (!chunks.tryAdvance(next)) {
                        call.finish();
                        return false;
                    }
                } catch (Throwable thrown) {
                    call.fail(thrown);
                    throw thrown;
                }
            } while (call.takeChunk(next.value));
            action.accept(next.value);
            return true;
        }
    }

    private static final class Holder<T> implements Consumer<T> {
        private T value;

        @Override
        public void accept(T next) {
            value = next;
        }
    }

    /** A response that the caller parses. A body that the caller reads directly is not observed. */
    private final class RawResponse extends Proxies.View {
        private Object parsed;
        private Object watched;

        RawResponse(Object target) {
            super(target);
        }

        @Override
        Object call(Object view, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("close") && parsed == null) call.abandon();
            if (!method.getName().equals("parse")) return pass(method, arguments);
            return parse(method, arguments);
        }

        /** The libraries may return the same result again. */
        private synchronized Object parse(Method method, Object[] arguments) throws Throwable {
            Object result;
            try {
                result = pass(method, arguments);
            } catch (Throwable thrown) {
                call.fail(thrown);
                throw thrown;
            }
            if (result != parsed) {
                parsed = result;
                watched = watch(result);
            }
            return watched;
        }
    }
}

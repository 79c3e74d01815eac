package dev.assay.internal.provider;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A stream that calls a handler. If its first request is refused, it continues with a second one.
 */
final class WatchedAsyncStream extends Proxies.View {
    private final ObservedCall call;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private Predicate<Throwable> isRefusal;
    private Watching.Retry again;
    private Object stream;
    private boolean isSecond;
    private boolean isClosed;
    private Method subscribe;
    private Object[] subscription;

    WatchedAsyncStream(ObservedCall call, Object stream) {
        super(stream);
        this.call = call;
        this.stream = stream;
    }

    /** Returns the view; a refusal starts one more stream. */
    Object view(Predicate<Throwable> refusal, Watching.Retry retry) {
        isRefusal = refusal;
        again = retry;
        follow(stream);
        return Proxies.viewOrTarget(this);
    }

    @Override
    Object call(Object view, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "subscribe":
                subscribe(method, arguments);
                return view;
            case "onCompleteFuture":
                return done;
            case "close":
                call.abandon();
                Object open;
                synchronized (this) {
                    isClosed = true;
                    open = stream;
                }
                return on(open, method);
            default:
                return pass(method, arguments);
        }
    }

    private void subscribe(Method method, Object[] arguments) throws Throwable {
        Object[] watched = arguments.clone();
        Class<?> handler = method.getParameterTypes()[0];
        Object callers = arguments[0];
        InvocationHandler watching = (view, called, values) -> onEvent(callers, called, values);
        watched[0] = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, watching);
        Object open;
        synchronized (this) {
            subscribe = method;
            subscription = watched;
            open = stream;
        }
        on(open, method, watched);
    }

    /** The handler's methods, on the library's thread. */
    private Object onEvent(Object handler, Method method, Object[] values) throws Throwable {
        if (method.getName().equals("onNext") && call.takeChunk(values[0])) return null;
        if (method.getName().equals("onComplete")) {
            Throwable thrown = (Throwable) ((Optional<?>) values[0]).orElse(null);
            if (thrown != null && goOn(thrown)) return null;
            end(thrown);
        }
        if (method.getDeclaringClass() == Object.class && method.getName().equals("equals")) {
            return handler.equals(values[0]);
        }
        return on(handler, method, values == null ? new Object[0] : values);
    }

    private void end(Throwable thrown) {
        if (thrown == null) call.finish();
        else call.fail(thrown);
    }

    /** Handles the end of a stream, even without a subscriber. */
    private void follow(Object open) {
        try {
            Method future = open.getClass().getMethod("onCompleteFuture");
            future.setAccessible(true);
            ((CompletableFuture<?>) future.invoke(open)).whenComplete((nothing, thrown) -> {
                if (thrown != null && goOn(thrown)) return;
                synchronized (this) {
                    // Another stream has replaced this one.
                    if (open != stream) return;
                }
                end(thrown);
                if (thrown == null) done.complete(null);
                else done.completeExceptionally(thrown);
            });
        } catch (ReflectiveOperationException | RuntimeException e) {
            call.abandon();
        }
    }

    /** Starts the second stream after a refusal; returns whether there is one. */
    private boolean goOn(Throwable thrown) {
        Object second;
        Object[] waiting;
        synchronized (this) {
            if (isSecond) return isRefusal.test(thrown);
            if (isClosed || !isRefusal.test(thrown)) return false;
            isSecond = true;
            try {
                call.beginStream(false);
                second = again.make();
            } catch (Throwable e) {
                return false;
            }
            stream = second;
            // From here on, subscriptions go to the second stream.
            waiting = subscription;
        }
        follow(second);
        if (waiting != null) {
            try {
                on(second, subscribe, waiting);
            } catch (Throwable e) {
                end(e);
            }
        }
        return true;
    }

    private static Object on(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}

package dev.assay.internal.provider;

import dev.assay.CallOptions;
import dev.assay.internal.modelcall.CallRecord;
import dev.assay.internal.modelcall.Host;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A view of a client of OpenAI's or Anthropic's library, or of an object between it and its model calls. It
 * finds classes by name, so neither library is needed here. Both libraries have the same shape: each kind of
 * call has one method with parameters and request options, which all other methods call.
 */
public final class ProviderView extends Proxies.View {
    /** The methods that lead to model calls. */
    private static final Set<String> STEPS = Set.of(
            "async",
            "sync",
            "withRawResponse",
            "withOptions",
            "chat",
            "completions",
            "embeddings",
            "responses",
            "messages",
            "beta");

    private static final Set<String> CLIENTS = Set.of(
            "com.openai.client.OpenAIClient",
            "com.openai.client.OpenAIClientAsync",
            "com.anthropic.client.AnthropicClient",
            "com.anthropic.client.AnthropicClientAsync");

    /** The services of model calls, by the start of their names; {@code Async} may follow. */
    private static final Set<String> SERVICES = Set.of(
            "ChatCompletionService", "CompletionService", "EmbeddingService", "ResponseService", "MessageService");

    /** The user of the recorded calls, and how to record them. */
    private static final class Scope {
        final Host host;
        final String experiment;
        final CallOptions options;
        final StreamUsage usage;

        Scope(Host host, String experiment, CallOptions options, StreamUsage usage) {
            this.host = host;
            this.experiment = experiment;
            this.options = options;
            this.usage = usage;
        }
    }

    private final Scope scope;
    private final Map<Method, Object> views = new ConcurrentHashMap<>();

    private ProviderView(Object target, Scope scope) {
        super(target);
        this.scope = scope;
    }

    /**
     * Returns a view that records its model calls. An object of another library is returned unchanged, with a
     * warning. Wrapping twice has the effect of wrapping once; the later options apply.
     */
    @SuppressWarnings("unchecked")
    public static <T> T wrap(Host host, T provider, String experiment, CallOptions options) {
        Proxies.View before = Proxies.handlerOf(provider);
        boolean isAgain = before instanceof ProviderView && ((ProviderView) before).scope.experiment.equals(experiment);
        if (isAgain && ((ProviderView) before).scope.host == host) {
            ProviderView view = (ProviderView) before;
            CallOptions known = view.scope.options;
            String user = options.user() == null ? known.user() : options.user();
            String unit = options.unit() == null ? known.unit() : options.unit();
            CallOptions both = known.user(user).unit(unit).metadata(options.metadata());
            Scope scope = new Scope(host, experiment, both, view.scope.usage);
            return (T) Proxies.view(new ProviderView(view.target, scope));
        }
        if (before == null && !isClient(provider)) {
            host.warnOnce("wrap does not support this object");
            return provider;
        }
        Scope scope = new Scope(host, experiment, options, new StreamUsage(options.streamUsage()));
        return (T) Proxies.view(new ProviderView(provider, scope));
    }

    private static boolean isClient(Object provider) {
        if (provider == null) return false;
        for (Class<?> type = provider.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> each : type.getInterfaces()) if (CLIENTS.contains(each.getName())) return true;
        }
        return false;
    }

    @Override
    Object call(Object view, Method method, Object[] arguments) throws Throwable {
        if (Proxies.isInherited(target, method)) {
            MethodHandle inherited = Proxies.inherited(method);
            if (inherited != null) return inherited.bindTo(view).invokeWithArguments(arguments);
            scope.host.warnOnce("calls of a provider's library are not recorded: its module is not open to Assay");
            return pass(method, arguments);
        }
        if (isModelCall(method, arguments)) return observe(method, arguments);
        if (method.getName().equals("toolRunner")) return callingHere(pass(method, arguments), view);
        if (!STEPS.contains(method.getName())) return pass(method, arguments);
        if (arguments.length > 0) return step(pass(method, arguments));
        Object known = views.get(method);
        if (known != null) return known;
        Object made = step(pass(method, arguments));
        Object other = views.putIfAbsent(method, made);
        return other == null ? made : other;
    }

    /** Helpers of Anthropic's library, and their message threads, make their calls on a service that they store. */
    private Object callingHere(Object helper, Object view) {
        try {
            setField(setField(helper, "messageService", view, "thread"), "service", view, "service");
        } catch (ReflectiveOperationException | RuntimeException e) {
            scope.host.warnOnce("a tool runner's calls are not recorded: its class is unknown");
        }
        return helper;
    }

    /** Sets a field, and returns the value of another field. */
    private static Object setField(Object owner, String name, Object value, String other)
            throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(owner, value);
        Field next = owner.getClass().getDeclaredField(other);
        next.setAccessible(true);
        return next.get(owner);
    }

    private Object step(Object next) {
        return Proxies.viewOrTarget(new ProviderView(next, scope));
    }

    private static boolean isModelCall(Method method, Object[] arguments) {
        if (arguments.length != 2 || !method.getName().matches("create(Streaming)?")) return false;
        Class<?> service = method.getDeclaringClass();
        // The services of raw responses are nested in these.
        Class<?> outer = service.getEnclosingClass() == null ? service : service.getEnclosingClass();
        return SERVICES.contains(outer.getSimpleName().replaceFirst("Async$", ""));
    }

    private Object observe(Method method, Object[] arguments) throws Throwable {
        CallRecord record = CallRecord.start(scope.host, scope.experiment, scope.options);
        if (record == null) return pass(method, arguments);
        ObservedCall call;
        Object asked = null;
        try {
            LibraryJson json = new LibraryJson(arguments[0]);
            Map<?, ?> request = json.toMap(LibraryJson.get(arguments[0], "_body"));
            call = new ObservedCall(record, json, request, ProviderName.of(target));
            if (method.getName().endsWith("Streaming")) asked = scope.usage.askedBy(arguments[0], request);
        } catch (Throwable e) {
            record.warnOnce(
                    "a call of a provider's library could not be read: it is recorded without model, tokens and text");
            return passUnread(record, method, arguments);
        }
        try {
            return make(call, method, arguments, asked);
        } catch (Throwable thrown) {
            call.fail(thrown);
            throw thrown;
        }
    }

    private Object passUnread(CallRecord record, Method method, Object[] arguments) throws Throwable {
        try {
            Object result = pass(method, arguments);
            record.finish(Map.of());
            return result;
        } catch (Throwable thrown) {
            record.fail(thrown, false, Map.of());
            throw thrown;
        }
    }

    private Object make(ObservedCall call, Method method, Object[] arguments, Object asked) throws Throwable {
        Watching watching = new Watching(call, asked != null);
        if (asked == null) return watching.watch(pass(method, arguments));
        watching.retryWhen(scope.usage::isRefusal, () -> pass(method, arguments));
        try {
            return watching.watch(pass(method, new Object[] {asked, arguments[1]}));
        } catch (Throwable thrown) {
            if (!scope.usage.isRefusal(thrown)) throw thrown;
        }
        return new Watching(call, false).watch(pass(method, arguments));
    }
}

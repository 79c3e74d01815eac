package dev.assay.internal.provider;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Requests the usage of OpenAI's streams, which do not report it otherwise. Some compatible backends do not know
 * the option: after one refusal it is no longer added. Shared by all views of a client.
 */
final class StreamUsage {
    private static final Pattern OPTION = Pattern.compile("stream_options|include_usage");

    private volatile boolean isAsked;

    StreamUsage(boolean isAsked) {
        this.isAsked = isAsked;
    }

    /** Returns parameters that request the usage; null when there is nothing to add. */
    Object askedBy(Object params, Map<?, ?> request) {
        if (!isAsked) return null;
        try {
            Object given = request.get("stream_options");
            // The caller's own setting takes precedence.
            if (given instanceof Map && ((Map<?, ?>) given).get("include_usage") instanceof Boolean) return null;
            Method current = params.getClass().getMethod("streamOptions");
            Optional<?> options = (Optional<?>) current.invoke(params);
            Object builder = LibraryJson.get(params, "toBuilder");
            Method setter = setterOf(builder.getClass());
            Class<?> type = setter.getParameterTypes()[0];
            Object made = options.isPresent()
                    ? LibraryJson.get(options.get(), "toBuilder")
                    : type.getMethod("builder").invoke(null);
            made.getClass().getMethod("includeUsage", boolean.class).invoke(made, true);
            setter.invoke(builder, LibraryJson.get(made, "build"));
            return LibraryJson.get(builder, "build");
        } catch (ReflectiveOperationException | RuntimeException noSuchOption) {
            return null;
        }
    }

    /** Only chat completions and legacy completions have the option in this form. */
    private static Method setterOf(Class<?> builder) throws NoSuchMethodException {
        for (Method method : builder.getMethods()) {
            boolean isSetter = method.getName().equals("streamOptions") && method.getParameterCount() == 1;
            if (isSetter && method.getParameterTypes()[0].getSimpleName().equals("ChatCompletionStreamOptions")) {
                return method;
            }
        }
        throw new NoSuchMethodException("streamOptions");
    }

    /** Returns whether the provider refused only what we added; if so, it is no longer added. */
    boolean isRefusal(Throwable thrown) {
        try {
            Throwable cause = thrown;
            while (cause instanceof java.util.concurrent.CompletionException && cause.getCause() != null) {
                cause = cause.getCause();
            }
            Object status = LibraryJson.get(cause, "statusCode");
            boolean isRefused = (status.equals(400) || status.equals(422))
                    && OPTION.matcher(cause.getMessage() + " " + LibraryJson.get(cause, "param"))
                            .find();
            if (isRefused) isAsked = false;
            return isRefused;
        } catch (ReflectiveOperationException | RuntimeException otherError) {
            return false;
        }
    }
}

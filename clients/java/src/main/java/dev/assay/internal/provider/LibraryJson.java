package dev.assay.internal.provider;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;

/**
 * The JSON mapper of a provider's library: converts its objects to the maps that were, or will be, on the
 * wire.
 */
final class LibraryJson {
    private final Object mapper;
    private final Method convert;

    /**
     * Finds the mapper of the library that an object belongs to.
     *
     * @throws ReflectiveOperationException when the library has none
     */
    LibraryJson(Object member) throws ReflectiveOperationException {
        String[] names = member.getClass().getName().split("\\.", 3);
        Class<?> mappers = Class.forName(
                names[0] + "." + names[1] + ".core.ObjectMappers",
                true,
                member.getClass().getClassLoader());
        mapper = mappers.getMethod("jsonMapper").invoke(null);
        convert = mapper.getClass().getMethod("convertValue", Object.class, Class.class);
    }

    /** Returns an object of the library as maps, lists and values. */
    Map<?, ?> toMap(Object value) throws ReflectiveOperationException {
        return (Map<?, ?>) convert.invoke(mapper, value, Map.class);
    }

    /** Calls a method without arguments. */
    static Object get(Object target, String name) throws ReflectiveOperationException {
        return invoke(target, target.getClass().getMethod(name));
    }

    /** Calls a public method of an object, even if its class is not public. */
    static Object invoke(Object target, Method method, Object... arguments) throws ReflectiveOperationException {
        return method.invoke(target, arguments);
    }

    /** Returns the exception that a method threw. */
    static Throwable causeOf(Throwable thrown) {
        return thrown instanceof InvocationTargetException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}

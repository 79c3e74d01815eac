package dev.assay.internal.provider;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Views of a library's objects that implement all of their interfaces. */
final class Proxies {
    private static final Map<Method, MethodHandle> DEFAULTS = new ConcurrentHashMap<>();

    private Proxies() {}

    /** What a view does with its target's methods. */
    abstract static class View implements InvocationHandler {
        final Object target;

        View(Object target) {
            this.target = target;
        }

        /** Handles a method of an interface of the target. */
        abstract Object call(Object view, Method method, Object[] arguments) throws Throwable;

        @Override
        public final Object invoke(Object view, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() != Object.class) {
                return call(view, method, arguments == null ? new Object[0] : arguments);
            }
            if (method.getName().equals("equals")) return target.equals(unwrap(arguments[0]));
            return method.invoke(target, arguments);
        }

        /** Calls a method of the target, and throws what it throws. */
        final Object pass(Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** Creates a view. */
    static Object view(View handler) {
        Class<?> type = handler.target.getClass();
        return Proxy.newProxyInstance(type.getClassLoader(), interfacesOf(type), handler);
    }

    /** Creates a view, or returns the target when that is not possible. */
    static Object viewOrTarget(View handler) {
        try {
            return handler.target == null ? null : view(handler);
        } catch (RuntimeException e) {
            return handler.target;
        }
    }

    /** Returns the handler of a view, or null for any other object. */
    static View handlerOf(Object value) {
        if (value == null || !Proxy.isProxyClass(value.getClass())) return null;
        InvocationHandler handler = Proxy.getInvocationHandler(value);
        return handler instanceof View ? (View) handler : null;
    }

    private static Object unwrap(Object value) {
        View handler = handlerOf(value);
        return handler == null ? value : handler.target;
    }

    private static Class<?>[] interfacesOf(Class<?> type) {
        java.util.LinkedHashSet<Class<?>> all = new java.util.LinkedHashSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            all.addAll(java.util.List.of(each.getInterfaces()));
        }
        // Non-public interfaces are visible only in their own package.
        all.removeIf(each -> !java.lang.reflect.Modifier.isPublic(each.getModifiers()));
        return all.toArray(new Class<?>[0]);
    }

    /**
     * Returns whether the target inherits a method from its interface, so that the method calls others of the
     * view.
     */
    static boolean isInherited(Object target, Method method) throws NoSuchMethodException {
        return method.isDefault()
                && target.getClass()
                        .getMethod(method.getName(), method.getParameterTypes())
                        .isDefault();
    }

    /**
     * Returns an interface's default method, to run on a view; null when its module does not allow
     * that.
     */
    static MethodHandle inherited(Method method) {
        return DEFAULTS.computeIfAbsent(method, Proxies::handleOf);
    }

    private static MethodHandle handleOf(Method method) {
        Class<?> type = method.getDeclaringClass();
        try {
            Proxies.class.getModule().addReads(type.getModule());
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup()).unreflectSpecial(method, type);
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }
}

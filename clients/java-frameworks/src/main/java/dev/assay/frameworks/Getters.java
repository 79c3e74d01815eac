package dev.assay.frameworks;

import java.util.Optional;

/**
 * Reads values by the names of methods: some are in classes of each provider's module, which an application may lack.
 */
final class Getters {
    private Getters() {}

    /** Calls methods without arguments in turn; null when one is missing or returns null, or the end is no number. */
    static Number numberAt(Object value, String... methods) {
        return valueAt(value, methods) instanceof Number number ? number : null;
    }

    /** Calls methods without arguments in turn; null when one is missing or returns null. */
    static Object valueAt(Object value, String... methods) {
        Object found = value;
        try {
            for (String method : methods) {
                if (found == null) return null;
                found = found.getClass().getMethod(method).invoke(found);
                if (found instanceof Optional<?> optional) found = optional.orElse(null);
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
        return found;
    }
}

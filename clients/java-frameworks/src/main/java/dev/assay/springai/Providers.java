package dev.assay.springai;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names the provider of a model: Spring AI has a package for each. */
final class Providers {
    private static final Pattern PACKAGE = Pattern.compile("^org\\.springframework\\.ai\\.(\\w+)\\.");

    private Providers() {}

    /** Returns the name; null for a model that is not Spring AI's own. */
    static String nameOf(Object model) {
        Matcher provider = PACKAGE.matcher(model.getClass().getName());
        return provider.find() ? provider.group(1) : null;
    }
}

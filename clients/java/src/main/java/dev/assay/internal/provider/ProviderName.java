package dev.assay.internal.provider;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The provider that a library's client calls. */
public final class ProviderName {
    /** As in {@code vectors/providers.json}: each provider replaces its hosts. */
    static final Map<String, Pattern> HOSTS = hosts();

    private static final Pattern URL = Pattern.compile("\\w+://([^/?#]*@)?(\\[.*\\]|[^/?#:]+)");

    private ProviderName() {}

    private static Map<String, Pattern> hosts() {
        Map<String, Pattern> hosts = new LinkedHashMap<>();
        hosts.put("azure", Pattern.compile("^.*\\.azure\\.com$"));
        hosts.put("vertex", Pattern.compile("^.*aiplatform\\.googleapis\\.com$"));
        hosts.put("google", Pattern.compile("^.*\\.googleapis\\.com$"));
        hosts.put("bedrock", Pattern.compile("^bedrock.*\\.amazonaws\\.com$"));
        hosts.put("openrouter", Pattern.compile("^openrouter\\.ai$"));
        hosts.put("xai", Pattern.compile("^api\\.x\\.ai$"));
        hosts.put("localhost", Pattern.compile("^127\\.0\\.0\\.1$"));
        hosts.put("$1", Pattern.compile("^(?:.*\\.)?api\\.([^.]+)\\.[^.]+$"));
        return hosts;
    }

    /**
     * Returns the provider behind a base URL: from the table, otherwise its host; null without a
     * host.
     */
    public static String at(String baseUrl) {
        Matcher found = URL.matcher(baseUrl.toLowerCase(Locale.ROOT));
        if (!found.lookingAt()) return null;
        String name = found.group(2);
        for (Map.Entry<String, Pattern> row : HOSTS.entrySet()) {
            name = row.getValue().matcher(name).replaceFirst(row.getKey());
        }
        return name;
    }

    /** Returns the provider that a library's service calls; null when unknown. */
    static String of(Object service) {
        try {
            Field options = service.getClass().getDeclaredField("clientOptions");
            options.setAccessible(true);
            Object found = options.get(service);
            return at((String) found.getClass().getMethod("baseUrl").invoke(found));
        } catch (Exception e) {
            return null;
        }
    }
}

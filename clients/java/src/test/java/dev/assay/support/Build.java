package dev.assay.support;

import dev.assay.AssayClient;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** The results of the build, and its sources. */
public final class Build {
    private Build() {}

    /** Returns the client's folder, which holds its {@code pom.xml}. */
    public static Path client() {
        return Repository.root().resolve("clients/java");
    }

    /** Returns the folder of the client's classes, wherever this build puts it. */
    public static Path classes() {
        try {
            return Path.of(AssayClient.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    /** Returns a program of the running JDK. */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }
}

package dev.assay.support;

import dev.assay.AssayClient;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** What the build has made, and out of what. */
public final class Build {
    private Build() {}

    /** Returns the folder of the client: that of its {@code pom.xml}. */
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

    /** Returns a program of the JDK that runs this. */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }
}

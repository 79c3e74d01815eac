package dev.assay.support;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the repository is. */
public final class Repository {
    private Repository() {}

    /** Returns its root: the first parent folder that holds the vectors. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("vectors"))) folder = folder.getParent();
        if (folder == null) throw new IllegalStateException("run the tests from within the repository");
        return folder;
    }
}

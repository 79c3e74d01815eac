package dev.assay.internal.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicInteger;

/** The folder of one key's files: their names, their permissions, and how they move. */
final class SpillFolder {
    /** Distinguishes this process from an earlier one with the same id. */
    private static final long START = System.currentTimeMillis();

    private static final long PID = ProcessHandle.current().pid();
    /** Names this process in the same way as claims do. */
    static final String ME = PID + "-" + START;

    private static final AtomicInteger WRITTEN = new AtomicInteger();

    final Path path;
    /** The first 16 hex digits of the key's SHA-256. */
    final String keyHash;

    final boolean isPosix;

    SpillFolder(Path path, String apiKey) {
        this.path = path;
        this.keyHash = hash(apiKey);
        this.isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Creates the folder if necessary; fails when it cannot be used. */
    void open() throws IOException {
        if (!Files.isDirectory(path)) Files.createDirectories(path, owned("rwx------"));
        boolean isAllowed = Files.isReadable(path) && Files.isWritable(path) && Files.isExecutable(path);
        if (!isAllowed) throw new IOException("permission denied");
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    /** Creates the origin of a new file of this process. */
    static String newOrigin() {
        return ME + "-" + WRITTEN.getAndIncrement();
    }

    /** Creates the origin of a new journal: see {@link SpillName#isJournal}. */
    static String newJournalOrigin() {
        return PID + "-0" + START + "-" + WRITTEN.getAndIncrement();
    }

    /** The attribute of new files and folders; none on systems without such permissions. */
    FileAttribute<?>[] owned(String permissions) {
        if (!isPosix) return new FileAttribute<?>[0];
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    static void touch(Path path) throws IOException {
        Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis()));
    }

    static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Describes an error without the path, for the log. */
    static String describe(Exception error) {
        boolean isOfFile = error instanceof FileSystemException;
        String detail = isOfFile ? ((FileSystemException) error).getReason() : error.getMessage();
        String name = error.getClass().getSimpleName();
        return detail == null ? name : name + ": " + detail;
    }

    private static String hash(String apiKey) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(apiKey.getBytes(StandardCharsets.UTF_8));
            StringBuilder hex = new StringBuilder();
            for (int i = 0; i < 8; i++) hex.append(String.format("%02x", digest[i]));
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}

package dev.assay.internal.store;

import dev.assay.internal.event.KeptEvent;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;

/**
 * A durable client's queue on disk: each event is a line of a file before it can be sent. The lines are not
 * synced, so they survive the process but not a power cut. A file is removed once all of its events are
 * settled. The files look like claims of this process, so other processes leave them alone; the lock on each
 * file shows other Java processes when this one is dead. Not thread-safe. Never throws.
 */
public final class Journal {
    private static final int MAX_FILE_EVENTS = 1_000;

    private static final class JournalFile {
        final Path path;
        final Path spill;
        /** A stream, because an interrupt of the writing thread would close a channel. */
        final FileOutputStream out;

        int events;
        /** The number of its last event, plus 1. */
        long end;

        JournalFile(Path path, Path spill, FileOutputStream out) {
            this.path = path;
            this.spill = spill;
            this.out = out;
        }
    }

    private final SpillFolder folder;
    private final ArrayDeque<JournalFile> files = new ArrayDeque<>();
    /** The file for the next event; null to start a new one. */
    private JournalFile current;

    Journal(SpillFolder folder) {
        this.folder = folder;
    }

    /**
     * Writes an event.
     *
     * @param event the event
     * @param end its number among all events ever queued, plus 1
     * @return the reason for a failure, or null
     */
    public String append(KeptEvent event, long end) {
        try {
            if (current == null) files.addLast(current = open());
            ByteArrayOutputStream line = new ByteArrayOutputStream(SpillLine.sizeOf(event));
            SpillLine.write(event, line);
            current.end = end;
            current.out.write(line.toByteArray());
            if (++current.events >= MAX_FILE_EVENTS) current = null;
            return null;
        } catch (IOException | RuntimeException e) {
            // The next line must not continue an unfinished one.
            current = null;
            return SpillFolder.describe(e);
        }
    }

    /**
     * Removes the files whose events are settled.
     *
     * @param settled number of settled events, counted from the first that was ever queued
     */
    public void removeSettled(long settled) {
        while (!files.isEmpty() && files.peekFirst().end <= settled) {
            JournalFile file = files.pollFirst();
            if (file == current) current = null;
            try {
                // Systems other than POSIX cannot remove open files.
                if (!folder.isPosix) file.out.close();
                Files.deleteIfExists(file.path);
                file.out.close();
            } catch (IOException e) {
                // Its events may be sent twice, which counts once.
            }
        }
    }

    /** Shows other processes that the files are in use. Must be called every few minutes. */
    public void touch() {
        for (JournalFile file : files) {
            try {
                SpillFolder.touch(file.path);
            } catch (IOException e) {
                // As above.
            }
        }
    }

    /** Leaves unsettled events to any process. */
    public void giveBack() {
        for (JournalFile file : files) {
            try {
                file.out.close();
                SpillFolder.move(file.path, file.spill);
            } catch (IOException e) {
                // Another process has it already.
            }
        }
        files.clear();
        current = null;
    }

    private JournalFile open() throws IOException {
        String origin = SpillFolder.newJournalOrigin();
        Path path = folder.resolve(SpillName.ofClaim(folder.keyHash, SpillFolder.ME, origin));
        // The file gets its name once it is locked, if open files can be renamed.
        Path first = folder.isPosix ? folder.resolve(path.getFileName() + ".tmp") : path;
        Files.createFile(first, folder.owned("rw-------"));
        FileOutputStream out = new FileOutputStream(first.toFile(), true);
        try {
            if (folder.isPosix) {
                lock(out);
                SpillFolder.move(first, path);
            }
        } catch (IOException e) {
            out.close();
            throw e;
        }
        return new JournalFile(path, folder.resolve(SpillName.ofSpill(folder.keyHash, origin)), out);
    }

    private static void lock(FileOutputStream out) {
        try {
            out.getChannel().tryLock();
        } catch (IOException e) {
            // The file system has no locks, so other processes wait until the file is stale.
        }
    }

    /** Returns whether the process that writes the file is alive; null when unknown. */
    static Boolean isWrittenTo(Path path) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return null;
        }
    }
}

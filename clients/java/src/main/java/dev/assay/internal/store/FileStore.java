package dev.assay.internal.store;

import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.log.ClientLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Keeps events in a folder that several processes may share, also with clients in other languages. Each file
 * is written once and never changed. A process claims a file by renaming it, sends it and deletes it. So only
 * one process sends each event, and a process that dies loses none. The methods do disk I/O and never throw.
 */
public final class FileStore {
    private static final long MAX_BYTES = 10L * 1024 * 1024;
    /** A claim or an unfinished file that was not touched for this long belongs to a process that died. */
    private static final long STALE_MS = 600_000;

    private static final long MAX_AGE_MS = 86_400_000;

    private static final class Claim {
        final Path path;
        final String origin;
        final List<KeptEvent> events;

        Claim(Path path, String origin, List<KeptEvent> events) {
            this.path = path;
            this.origin = origin;
            this.events = events;
        }
    }

    private final SpillFolder folder;
    private final Clock clock;
    private final ClientLog log;
    /** Null before it is opened. */
    private Boolean isUsable;
    /** The last replay; null when it is over. */
    private Claim claim;

    /**
     * Makes a store that {@link #open} opens.
     *
     * @param folder where the files are
     * @param apiKey the key of the events; only its hash is written
     * @param clock used for the age of events
     * @param log where failures are counted
     */
    public FileStore(Path folder, String apiKey, Clock clock, ClientLog log) {
        this.folder = new SpillFolder(folder, apiKey);
        this.clock = clock;
        this.log = log;
    }

    /**
     * Makes the folder if necessary, readable only by its owner. A second call returns the first result.
     *
     * @return false, and an error in the log, when it cannot be used
     */
    public synchronized boolean open() {
        if (isUsable == null) isUsable = makeFolder();
        return isUsable;
    }

    private boolean makeFolder() {
        try {
            folder.open();
            return true;
        } catch (IOException | RuntimeException e) {
            log.once(System.Logger.Level.ERROR, "offlineStore is not used: " + SpillFolder.describe(e));
            return false;
        }
    }

    /** Makes the journal of a durable client in the folder. */
    public Journal journal() {
        return new Journal(folder);
    }

    /**
     * Keeps events in a new file; 10 MiB wait at most.
     *
     * @param events oldest first
     * @return how many did not fit
     */
    public synchronized int keep(List<KeptEvent> events) {
        try {
            return write(events, MAX_BYTES - waitingBytes());
        } catch (IOException | RuntimeException e) {
            noteFailure(e);
            return events.size();
        }
    }

    /**
     * Claims the oldest available file; {@link #release} deletes it.
     *
     * @return its events that are at most 24 h old; empty when there are none
     */
    public synchronized List<KeptEvent> takeReplay() {
        try {
            List<SpillName> files = list();
            files.sort(SpillName.BY_AGE);
            for (SpillName file : files) {
                if (!isFree(file) || !take(file)) continue;
                if (!claim.events.isEmpty()) return claim.events;
                release();
            }
        } catch (IOException | RuntimeException e) {
            noteFailure(e);
        }
        return List.of();
    }

    /** Deletes the last replay: each of its events was delivered, given up, or kept again. */
    public synchronized void release() {
        if (claim == null) return;
        try {
            Files.deleteIfExists(claim.path);
        } catch (IOException | RuntimeException e) {
            noteFailure(e);
        }
        claim = null;
    }

    /** Shows other processes that the last replay is still being sent. Must be called every few minutes. */
    public synchronized void touch() {
        try {
            if (claim != null) SpillFolder.touch(claim.path);
        } catch (IOException | RuntimeException e) {
            // If that fails, another process takes the file over; the service counts each event once.
        }
    }

    /**
     * Keeps the events that are left when a client ends. Undelivered events of a replay always go back, even if
     * the folder is full, because they came from there.
     *
     * @param events events that are neither delivered nor given up, replayed or new, oldest first
     * @return how many are lost
     */
    public synchronized int keepLast(List<KeptEvent> events) {
        Set<KeptEvent> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        if (claim != null) taken.addAll(claim.events);
        List<KeptEvent> fresh = new ArrayList<>();
        List<KeptEvent> old = new ArrayList<>();
        for (KeptEvent event : events) (taken.contains(event) ? old : fresh).add(event);
        int lost = keep(fresh);
        if (claim != null) giveBack(old);
        return lost;
    }

    private void giveBack(List<KeptEvent> left) {
        try {
            if (left.size() < claim.events.size() && write(left, Long.MAX_VALUE) == 0) {
                release();
                return;
            }
            SpillFolder.move(claim.path, folder.resolve(SpillName.ofSpill(folder.keyHash, claim.origin)));
        } catch (IOException | RuntimeException e) {
            // The claim becomes stale; then its events are sent.
            noteFailure(e);
        }
        claim = null;
    }

    /** Writes the events that fit, oldest first; returns how many did not. */
    private int write(List<KeptEvent> events, long room) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        int fitting = 0;
        long left = room;
        for (KeptEvent event : events) {
            left -= SpillLine.sizeOf(event);
            if (left < 0) break;
            SpillLine.write(event, lines);
            fitting++;
        }
        if (fitting > 0) writeFile(lines.toByteArray());
        return events.size() - fitting;
    }

    private void writeFile(byte[] text) throws IOException {
        String name = SpillName.ofSpill(folder.keyHash, SpillFolder.newOrigin());
        Path temporary = folder.resolve(name + ".tmp");
        Set<StandardOpenOption> isNew = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (SeekableByteChannel channel = Files.newByteChannel(temporary, isNew, folder.owned("rw-------"))) {
            ByteBuffer buffer = ByteBuffer.wrap(text);
            while (buffer.hasRemaining()) channel.write(buffer);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
        SpillFolder.move(temporary, folder.resolve(name));
    }

    /** Claims a file and reads the events that can be sent; false when another process was faster. */
    private boolean take(SpillName file) throws IOException {
        Path path = folder.resolve(SpillName.ofClaim(folder.keyHash, SpillFolder.ME, file.origin));
        try {
            // Must happen before the rename, or the claim would look stale.
            SpillFolder.touch(folder.resolve(file.name));
            SpillFolder.move(folder.resolve(file.name), path);
        } catch (IOException e) {
            return false;
        }
        claim = new Claim(path, file.origin, readable(Files.readAllBytes(path)));
        return true;
    }

    private List<KeptEvent> readable(byte[] text) {
        long now = now();
        List<KeptEvent> events = new ArrayList<>();
        int unreadable = 0;
        int expired = 0;
        for (String line : new String(text, StandardCharsets.UTF_8).split("\n")) {
            if (line.isEmpty()) continue;
            KeptEvent event = SpillLine.parse(line);
            if (event == null) unreadable++;
            else if (now - event.occurredAt > MAX_AGE_MS) expired++;
            else events.add(event);
        }
        log.count("unreadable line in an event file", unreadable);
        log.count("event given up, over 24 h old", expired);
        return events;
    }

    /** The clock is the caller's code. */
    private long now() {
        try {
            return clock.millis();
        } catch (RuntimeException e) {
            return System.currentTimeMillis();
        }
    }

    private List<SpillName> list() throws IOException {
        List<SpillName> files = new ArrayList<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder.path)) {
            for (Path path : paths) {
                SpillName file = SpillName.parse(path.getFileName().toString(), folder.keyHash);
                if (file != null) files.add(file);
            }
        }
        return files;
    }

    /** The files that count against the limit. Claimed files do not: they will be deleted soon. */
    private long waitingBytes() throws IOException {
        long bytes = 0;
        for (SpillName file : list()) {
            if (file.claimant != null) continue;
            try {
                bytes += Files.size(folder.resolve(file.name));
            } catch (NoSuchFileException e) {
                // Another process has claimed it.
            }
        }
        return bytes;
    }

    /** Returns whether this process may claim the file. */
    private boolean isFree(SpillName file) throws IOException {
        if (file.claimant == null && file.isWhole) return true;
        if (SpillFolder.ME.equals(file.claimant)) return false;
        boolean isLocked = folder.isPosix && file.isJournal() && !isOfThisProcess(file);
        Boolean isAlive = isLocked ? Journal.isWrittenTo(folder.resolve(file.name)) : null;
        if (isAlive != null) return !isAlive;
        try {
            FileTime modified = Files.getLastModifiedTime(folder.resolve(file.name));
            return System.currentTimeMillis() - modified.toMillis() > STALE_MS;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Returns whether a second copy of this class, in another class loader, writes the file. Does not open the
     * file, because closing it would end all locks that the process has on it.
     */
    private static boolean isOfThisProcess(SpillName file) {
        ProcessHandle me = ProcessHandle.current();
        Instant start = me.info().startInstant().orElse(Instant.MIN);
        return file.claimant.startsWith(me.pid() + "-")
                && !Instant.ofEpochMilli((long) file.start).isBefore(start);
    }

    private void noteFailure(Exception error) {
        log.count("offlineStore fails, " + SpillFolder.describe(error));
    }
}

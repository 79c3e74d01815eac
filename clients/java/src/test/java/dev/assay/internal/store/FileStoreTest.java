package dev.assay.internal.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.log.ClientLog;
import dev.assay.support.RecordingLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest {
    private static final Instant NOON = Instant.parse("2026-07-06T12:00:00Z");

    @TempDir
    Path folder;

    private final RecordingLog lines = new RecordingLog();

    private FileStore store(Path path, String apiKey) {
        return new FileStore(path, apiKey, Clock.fixed(NOON, ZoneOffset.UTC), new ClientLog(lines, () -> 0));
    }

    private FileStore opened() {
        FileStore store = store(folder, "svc_pk_1");
        assertTrue(store.open());
        return store;
    }

    private static KeptEvent event(String id, String text) {
        String row = "{\"event_id\":\"" + id + "\",\"timestamp\":\"2026-07-06T12:00:00.000Z\",\"x\":\"" + text + "\"}";
        return new KeptEvent(id, NOON.toEpochMilli(), row.getBytes(StandardCharsets.UTF_8));
    }

    private static List<KeptEvent> events(String... ids) {
        return Stream.of(ids).map(id -> event(id, "")).collect(Collectors.toList());
    }

    private static List<KeptEvent> mebibytes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> event("m" + i, "x".repeat(1 << 20)))
                .collect(Collectors.toList());
    }

    private static List<String> idsOf(List<KeptEvent> events) {
        return events.stream().map(event -> event.eventId).collect(Collectors.toList());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    @Test
    void makesTheFolderForItsOwnerAlone() throws IOException {
        assertTrue(store(folder.resolve("a/b"), "k").open());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a/b"))));
    }

    @Test
    void aFolderThatCannotBeMadeIsOneErrorAndNoStore() throws IOException {
        Files.writeString(folder.resolve("file"), "");
        assertFalse(store(folder.resolve("file"), "k").open());
        assertFalse(store(folder.resolve("file/below"), "k").open());
        assertTrue(lines.lines().get(0).startsWith("ERROR offlineStore is not used: "), lines.lines()::toString);
        assertFalse(lines.lines().toString().contains(folder.toString()));
    }

    @Test
    void aKeptFileIsItsOwnersAloneAndHoldsLinesWithoutTheKey() throws IOException {
        assertEquals(0, opened().keep(events("a", "b")));
        assertEquals(1, names().size());
        String name = names().get(0);
        assertTrue(name.matches("spill-899b53880c51ecb0-\\d+-\\d+-\\d+\\.ndjson"), name);
        Path file = folder.resolve(name);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        String line = "{\"v\":1,\"event\":{\"event_id\":\"%s\","
                + "\"timestamp\":\"2026-07-06T12:00:00.000Z\",\"x\":\"\"}}\n";
        assertEquals(String.format(line, "a") + String.format(line, "b"), Files.readString(file));
    }

    @Test
    void tenMebibytesWaitAtMost() {
        FileStore store = opened();
        assertEquals(0, store.keep(mebibytes(6)));
        assertEquals(3, store.keep(mebibytes(6)));
        assertEquals(1, store.keep(mebibytes(1)));
        assertEquals(0, store(folder, "other").keep(mebibytes(9)), "another key has room of its own");
    }

    @Test
    void whatIsGivenBackNeedsNoRoom() throws IOException {
        FileStore store = opened();
        store.keep(mebibytes(9));
        List<KeptEvent> taken = store.takeReplay();
        assertEquals(0, store.keep(mebibytes(9)), "a claim is on its way out");
        assertEquals(0, store.keepLast(taken.subList(1, 9)));
        assertEquals(9, opened().takeReplay().size(), "the older file is first");
        assertEquals(2, names().size());
    }

    @Test
    void nothingKeptIsNoFile() throws IOException {
        assertEquals(0, opened().keep(List.of()) + opened().keepLast(List.of()));
        assertEquals(List.of(), names());
    }

    @Test
    void aReplayTakesTheOldestFileFirstAndGivesEventsBackAsTheyWere() throws IOException {
        FileStore store = opened();
        KeptEvent odd = event("é", "\u2028 \\ud800 1e400");
        store.keep(List.of(odd));
        store.keep(events("b"));
        List<KeptEvent> first = store.takeReplay();
        assertEquals(odd.occurredAt, first.get(0).occurredAt);
        assertArrayEquals(odd.row, first.get(0).row);
        store.release();
        assertEquals(List.of("b"), idsOf(store.takeReplay()));
        store.release();
        assertEquals(List.of(), store.takeReplay());
        assertEquals(List.of(), names());
    }

    @Test
    void aRaceForAFileHasOneWinner() throws Exception {
        opened().keep(events("a"));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Callable<List<KeptEvent>>> racers = new ArrayList<>();
        for (int i = 0; i < 8; i++) racers.add(opened()::takeReplay);
        int won = 0;
        for (Future<List<KeptEvent>> taken : threads.invokeAll(racers))
            won += taken.get().size();
        threads.shutdown();
        assertEquals(1, won);
    }

    @Test
    void aReplayThatGoesOnIsTouched() throws IOException {
        FileStore store = opened();
        store.keep(events("a"));
        store.takeReplay();
        Path claim = folder.resolve(names().get(0));
        Files.setLastModifiedTime(claim, FileTime.fromMillis(1_000));
        store.touch();
        assertTrue(Files.getLastModifiedTime(claim).toMillis() > 1_000);
    }

    @Test
    void atTheEndAnUntouchedReplayGoesBackAndNewEventsAreWritten() throws IOException {
        FileStore store = opened();
        store.keep(events("a"));
        String name = names().get(0);
        List<KeptEvent> left = new ArrayList<>(store.takeReplay());
        left.addAll(events("b"));
        assertEquals(0, store.keepLast(left));
        assertTrue(names().contains(name));
        FileStore next = opened();
        List<String> all = new ArrayList<>(idsOf(next.takeReplay()));
        next.release();
        all.addAll(idsOf(next.takeReplay()));
        assertEquals(List.of("a", "b"), all);
    }

    @Test
    void atTheEndWhatWasDeliveredOfAReplayStaysOut() throws IOException {
        FileStore store = opened();
        store.keep(events("a", "b", "c"));
        assertEquals(0, store.keepLast(store.takeReplay().subList(2, 3)));
        assertEquals(List.of("c"), idsOf(opened().takeReplay()));
        assertEquals(1, names().size());
    }

    @Test
    void aFolderThatIsGoneLosesTheEventsAndSaysSo() throws IOException {
        FileStore store = opened();
        Files.delete(folder);
        assertEquals(1, store.keep(events("a")));
        assertEquals(List.of(), store.takeReplay());
        assertEquals(List.of("WARNING offlineStore fails, NoSuchFileException: 1"), lines.lines());
        Files.createDirectory(folder);
    }

    @Test
    void bytesThatAreNoTextAreUnreadableLines() throws IOException {
        Path file = folder.resolve("spill-899b53880c51ecb0-1-1-1.ndjson");
        Files.write(file, new byte[] {(byte) 0xff, 0, '\n', (byte) 0xc3, '\n', '{'});
        assertEquals(List.of(), opened().takeReplay());
        assertEquals(List.of("WARNING unreadable line in an event file: 3"), lines.lines());
        assertEquals(List.of(), names());
    }
}

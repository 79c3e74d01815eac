package dev.assay.internal.store;

import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.config.Fields;
import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import dev.assay.internal.json.Timestamps;
import dev.assay.internal.log.ClientLog;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last good config, kept in the folder of the offline store, so that a process that starts in an outage
 * assigns as before. The file is the same in every client library. The methods do disk I/O and never throw.
 */
public final class KeptConfig {
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    private final SpillFolder folder;
    private final String baseUrl;
    private final Clock clock;
    private final ClientLog log;
    private final String name;
    /** The config in the file, as {@code Json.parse} returned it; null when unknown. */
    private Object kept;

    private long keptAt;

    /**
     * Creates an instance that has read nothing yet.
     *
     * @param folder the folder of the file
     * @param apiKey the key of the config; only its hash is written
     * @param baseUrl the config's service
     * @param clock used for the age of the config
     * @param log receives messages about failures
     */
    public KeptConfig(Path folder, String apiKey, String baseUrl, Clock clock, ClientLog log) {
        this.folder = new SpillFolder(folder, apiKey);
        this.baseUrl = baseUrl;
        this.clock = clock;
        this.log = log;
        this.name = "config-" + this.folder.keyHash + ".json";
    }

    /**
     * Reads the config.
     *
     * @return null when there is none for this key and service, or, with a warning, when it is unreadable
     */
    public synchronized ConfigSnapshot read() {
        try {
            Path path = folder.resolve(name);
            if (Files.size(path) > MAX_BYTES) {
                log.once(Level.WARNING, "the kept config is over 4 MiB: not read");
                return null;
            }
            return parse(new String(Files.readAllBytes(path), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | RuntimeException e) {
            log.once(Level.WARNING, "unreadable kept config: " + SpillFolder.describe(e));
            return null;
        }
    }

    private ConfigSnapshot parse(String text) {
        Map<String, Object> fields = Map.of();
        try {
            fields = Fields.of(Json.parse(text));
        } catch (JsonException e) {
            // Without fields, the file counts as one of an unknown version.
        }
        boolean isKnown = Long.valueOf(1).equals(fields.get("v"));
        boolean isOurs = folder.keyHash.equals(fields.get("key_hash")) && baseUrl.equals(fields.get("base_url"));
        if (isKnown && !isOurs) return null;
        Object at = fields.get("kept_at");
        Long time = at instanceof String ? Timestamps.parse((String) at) : null;
        ConfigSnapshot snapshot = ConfigSnapshot.parse(fields.get("config"));
        if (!isKnown || time == null || snapshot == null) {
            log.once(Level.WARNING, "unreadable kept config: it is replaced by the next one");
            return null;
        }
        kept = snapshot.body;
        keptAt = time;
        return snapshot;
    }

    /** Returns the age in seconds of the config that was read; 0 when the clock was set back since. */
    public synchronized long ageSeconds() {
        return Math.max(0, (now() - keptAt) / 1_000);
    }

    /**
     * Keeps a config, unless it equals the one in the file.
     *
     * @param config a body of {@code GET /v1/config}, as {@code Json.parse} returned it
     */
    public synchronized void keep(Object config) {
        if (config == kept || config.equals(kept)) return;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("v", 1);
        fields.put("key_hash", folder.keyHash);
        fields.put("base_url", baseUrl);
        fields.put("kept_at", Timestamps.format(now()));
        fields.put("config", config);
        byte[] text = Json.write(fields).getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_BYTES) {
            log.once(Level.WARNING, "a config over 4 MiB is not kept");
            return;
        }
        try {
            folder.open();
            write(text);
            kept = config;
        } catch (IOException | RuntimeException e) {
            log.count("offlineStore fails, " + SpillFolder.describe(e));
        }
    }

    private void write(byte[] text) throws IOException {
        Path temporary = folder.resolve(name + "." + SpillFolder.newOrigin() + ".tmp");
        Files.createFile(temporary, folder.owned("rw-------"));
        try {
            try (OutputStream out = Files.newOutputStream(temporary, StandardOpenOption.WRITE)) {
                out.write(text);
            }
            SpillFolder.move(temporary, folder.resolve(name));
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
    }

    /** The clock is the caller's code. */
    private long now() {
        try {
            return Timestamps.inRange(clock.millis());
        } catch (RuntimeException e) {
            return System.currentTimeMillis();
        }
    }
}

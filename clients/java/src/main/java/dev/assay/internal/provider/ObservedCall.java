package dev.assay.internal.provider;

import dev.assay.internal.modelcall.CallRecord;
import dev.assay.internal.wire.WireReader;
import java.util.List;
import java.util.Map;

/** A provider library's call that is being recorded. The methods never throw. */
final class ObservedCall {
    private final CallRecord record;
    private final LibraryJson json;
    private final Object request;
    private final String provider;
    private volatile boolean hidesUsage;
    private WireReader reader;

    ObservedCall(CallRecord record, LibraryJson json, Object request, String provider) {
        this.record = record;
        this.json = json;
        this.request = request;
        this.provider = provider;
        begin(false);
    }

    /** Starts reading the answer, again from the start for a stream or a repeated call. */
    private synchronized void begin(boolean isStream) {
        reader = WireReader.ofParsed(isStream);
        reader.nameProvider(provider);
        reader.readRequest(request);
    }

    /** A stream was returned. {@code isUsageAsked}: we requested its usage, so the caller must not see it. */
    void beginStream(boolean isUsageAsked) {
        hidesUsage = isUsageAsked;
        begin(true);
    }

    /** The call ended with this result. */
    void finishWith(Object result) {
        read(result);
        record.finish(fields());
    }

    /** Accepts a chunk of a stream; returns true when the caller must not see it. */
    boolean takeChunk(Object chunk) {
        Object parsed = read(chunk);
        synchronized (this) {
            if (reader.hasResponse()) record.noteFirstToken();
        }
        if (!hidesUsage || !(parsed instanceof Map)) return false;
        Map<?, ?> fields = (Map<?, ?>) parsed;
        return List.of().equals(fields.get("choices")) && fields.get("usage") != null;
    }

    /** The stream ended. */
    void finish() {
        record.finish(fields());
    }

    /** The caller left the stream, or closed the answer without reading it. */
    void abandon() {
        record.abort(fields());
    }

    void fail(Throwable thrown) {
        record.fail(thrown, Thread.currentThread().isInterrupted(), fields());
    }

    private Object read(Object answer) {
        try {
            Object parsed = json.toMap(answer);
            synchronized (this) {
                reader.readAnswer(parsed);
            }
            return parsed;
        } catch (Throwable e) {
            record.warnOnce("an answer of a provider's library could not be read");
            return null;
        }
    }

    private synchronized Map<String, Object> fields() {
        return reader.toFields();
    }
}

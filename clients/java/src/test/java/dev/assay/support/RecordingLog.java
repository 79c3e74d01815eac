package dev.assay.support;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/** A log that keeps its lines: {@code WARNING message}. */
public final class RecordingLog implements System.Logger {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** Returns the lines so far. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public String getName() {
        return "recording";
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        lines.add(level + " " + message + " " + thrown);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... params) {
        lines.add(level + " " + format);
    }
}

package dev.assay.internal.store;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file in the folder: {@code spill-…} waits, {@code claim-…} is being sent by the process that
 * the claimant names, and a file that ends in {@code .tmp} is unfinished.
 */
final class SpillName {
    /** Orders by the start time of the file's process, then in the order of writing. */
    static final Comparator<SpillName> BY_AGE =
            Comparator.<SpillName>comparingDouble(file -> file.start).thenComparingDouble(file -> file.number);

    private static final Pattern NAME =
            Pattern.compile("(spill|claim)-([0-9a-f]{16})-(\\d+-\\d+-)?((\\d+)-(\\d+)-(\\d+))\\.ndjson(\\.tmp)?");

    final String name;
    /** {@code <pid>-<start>} of the process that sends it; null while it waits. */
    final String claimant;

    final boolean isWhole;
    /** {@code <pid>-<start>-<n>}, unique to the file. */
    final String origin;

    /** When the process that wrote it started, in epoch milliseconds. */
    final double start;

    private final double number;

    private SpillName(Matcher match) {
        String claim = match.group(3);
        name = match.group();
        claimant = claim == null ? null : claim.substring(0, claim.length() - 1);
        origin = match.group(4);
        start = Double.parseDouble(match.group(6));
        number = Double.parseDouble(match.group(7));
        isWhole = match.group(8) == null;
    }

    /** Parses a file name; null when the file does not belong to the key with this hash. */
    static SpillName parse(String name, String keyHash) {
        Matcher match = NAME.matcher(name);
        if (!match.matches() || !match.group(2).equals(keyHash)) return null;
        boolean isClaim = match.group(1).equals("claim");
        return isClaim == (match.group(3) != null) ? new SpillName(match) : null;
    }

    /**
     * Returns whether the file is the journal of a durable Java client, which still writes it unless its process
     * is dead. Its origin has a 0 before the start. (A journal of the Python client has the 0 before the number
     * instead, and a lock that Java cannot see.)
     */
    boolean isJournal() {
        return isWhole && claimant != null && origin.startsWith(claimant.replace("-", "-0") + "-");
    }

    static String ofSpill(String keyHash, String origin) {
        return "spill-" + keyHash + "-" + origin + ".ndjson";
    }

    static String ofClaim(String keyHash, String claimant, String origin) {
        return "claim-" + keyHash + "-" + claimant + "-" + origin + ".ndjson";
    }
}

package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The state of one reading of a configuration: blocks and keys that were read, defaults of absent keys, and findings.
/// Confined to the thread that starts the server.
final class Reading {
    /// A block that was read.
    ///
    /// @param asked the keys that were read
    record Visit(Map<String, @Nullable Object> values, Set<String> asked) {}

    private final Path directory;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, Visit> visits = new LinkedHashMap<>();
    private final Map<String, Object> filled = new LinkedHashMap<>();
    private Predicate<String> refusedUnknown = _ -> false;

    /// For a configuration without a file: relative file names are resolved against the working directory.
    Reading() {
        this(Path.of(""));
    }

    /// @param directory from which the names of further files are resolved
    Reading(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    void visit(String path, Map<String, @Nullable Object> values) {
        visits.computeIfAbsent(path, p -> new Visit(values, new LinkedHashSet<>()));
    }

    void asked(String path, String key) {
        var visit = visits.get(path);
        if (visit != null) {
            visit.asked.add(key);
        }
    }

    /// The value of an absent key, by its path.
    void fill(String path, Object used) {
        filled.putIfAbsent(path, used);
    }

    Map<String, Object> filled() {
        return filled;
    }

    void add(Finding finding) {
        if (!findings.contains(finding)) {
            findings.add(finding);
        }
    }

    /// Has unknown keys at some paths refused.
    void refuseUnknown(Predicate<String> paths) {
        refusedUnknown = paths;
    }

    /// Records an unknown key. One that an override has set is refused: what it was meant for would keep a value that
    /// the operator did not want.
    void unknown(String path, String text) {
        add(new Finding(refusedUnknown.test(path) ? Finding.Level.REFUSED : Finding.Level.SUSPECT, path, text));
    }

    Map<String, Visit> visits() {
        return visits;
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }
}

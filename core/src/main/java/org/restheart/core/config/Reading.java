package org.restheart.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// The state of one reading of a configuration: the defaults of absent keys, and findings. Confined to the thread that
/// starts the server.
final class Reading {
    private final Path directory;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, Object> filled = new LinkedHashMap<>();
    private Predicate<String> refusedUnknown = _ -> false;
    private Set<String> onlyOverridden = Set.of();

    /// For a configuration without a file: relative file names are resolved against the working directory.
    Reading() {
        this(Path.of(""));
    }

    Reading(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
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
    ///
    /// @param blocks that overrides alone have made
    void refuseUnknown(Predicate<String> paths, Set<String> blocks) {
        refusedUnknown = paths;
        onlyOverridden = blocks;
    }

    boolean isOnlyOverridden(String block) {
        return onlyOverridden.contains(block);
    }

    /// Records an unknown key. One that an override has set is refused: what it was meant for would keep a value that
    /// the operator did not want.
    void unknown(String path, String text) {
        add(new Finding(refusedUnknown.test(path) ? Finding.Level.REFUSED : Finding.Level.SUSPECT, path, text));
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }
}

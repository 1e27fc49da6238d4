package org.restheart.mcp;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The supported revisions of the protocol, newest first.
enum Revision {
    /// Stateless: each request contains its protocol version and capabilities.
    R2026_07_28("2026-07-28", false),
    R2025_11_25("2025-11-25", true),
    R2025_06_18("2025-06-18", true);

    private final String version;
    private final boolean legacy;

    Revision(String version, boolean legacy) {
        this.version = version;
        this.legacy = legacy;
    }

    static Optional<Revision> of(String version) {
        return Arrays.stream(values())
                .filter(revision -> revision.version.equals(version))
                .findFirst();
    }

    static List<String> versions() {
        return Arrays.stream(values()).map(Revision::version).toList();
    }

    String version() {
        return version;
    }

    /// Whether clients send `initialize` first.
    boolean isLegacy() {
        return legacy;
    }
}

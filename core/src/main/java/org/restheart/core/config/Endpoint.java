package org.restheart.core.config;

import java.util.Optional;

/// The keys that all services have in common.
public record Endpoint(boolean enabled, String uri, boolean secured) {
    public Optional<String> ifEnabled() {
        return enabled ? Optional.of(uri) : Optional.empty();
    }

    static Endpoint read(Block block) {
        return new Endpoint(block.bool("enabled"), block.uri("uri"), block.bool("secured"));
    }
}

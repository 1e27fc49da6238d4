package org.restheart.core.config;

import java.util.Optional;

/// The keys that all services have in common.
///
/// @param enabled whether the service exists
/// @param uri the path it answers below; begins with `/`
/// @param secured whether authentication and authorization apply
public record Endpoint(boolean enabled, String uri, boolean secured) {
    /// Its path; empty if it is off.
    public Optional<String> ifEnabled() {
        return enabled ? Optional.of(uri) : Optional.empty();
    }

    static Endpoint read(Block block) {
        return new Endpoint(block.bool("enabled"), block.uri("uri"), block.bool("secured"));
    }
}

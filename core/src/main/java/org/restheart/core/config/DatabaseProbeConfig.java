package org.restheart.core.config;

import java.time.Duration;

/// `database-probe`.
///
/// @param timeout after which MongoDB counts as unavailable
/// @param database that is pinged
public record DatabaseProbeConfig(Endpoint endpoint, Duration timeout, String database) {
    static DatabaseProbeConfig read(Block block) {
        return new DatabaseProbeConfig(
                Endpoint.read(block, new Endpoint(true, "/health/db", false)),
                block.millis("timeout-ms", 2_000, 1, 600_000),
                block.text("dbname", "admin"));
    }
}

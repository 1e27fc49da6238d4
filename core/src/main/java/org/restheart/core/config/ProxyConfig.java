package org.restheart.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// One member of `proxies`.
///
/// @param location the path whose requests are passed on; begins with `/`
/// @param targets the URLs they are passed to, in turn
/// @param rewriteHostHeader whether the target sees its own host instead of the client's `Host`
/// @param connectionsPerThread most connections per I/O thread and target
/// @param softMaxConnectionsPerThread idle ones above it are closed
/// @param maxQueueSize requests that may wait for a connection
/// @param connectionsTtl how long an idle connection above the soft limit lives; empty for no limit
/// @param problemServerRetry how long a failed target is left out
public record ProxyConfig(
        Optional<String> name,
        String location,
        List<String> targets,
        boolean rewriteHostHeader,
        int connectionsPerThread,
        int softMaxConnectionsPerThread,
        int maxQueueSize,
        Optional<Duration> connectionsTtl,
        Duration problemServerRetry) {

    static List<ProxyConfig> read(List<Block> blocks) {
        return blocks.stream().map(ProxyConfig::read).toList();
    }

    private static ProxyConfig read(Block block) {
        var targets = block.texts("proxy-pass", List.of());
        if (targets.isEmpty()) {
            block.refuse("proxy-pass", "must be a URL or a list of URLs");
        }
        var ttl = block.millis("connections-ttl", -1, -1, Integer.MAX_VALUE);
        return new ProxyConfig(
                block.optionalText("name"),
                block.requiredUri("location"),
                targets,
                block.bool("rewrite-host-header", true),
                block.integer("connections-per-thread", 10, 1, 100_000),
                block.integer("soft-max-connections-per-thread", 5, 0, 100_000),
                block.integer("max-queue-size", 0, 0, 1_000_000),
                ttl.isNegative() ? Optional.empty() : Optional.of(ttl),
                block.seconds("problem-server-retry", 10, 0, 86_400));
    }
}

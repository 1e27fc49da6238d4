package org.restheart.core.config;

import java.util.Optional;

/// `tracing`.
///
/// @param samplingRatio which part of the requests is traced, from 0 to 1
/// @param callersDecide whether a request is traced whatever the ratio if its caller's span is, and only then
/// @param maxQueuedSpans that wait for the collector; more are dropped
public record TracingConfig(OtlpConfig collector, double samplingRatio, boolean callersDecide, int maxQueuedSpans) {

    /// Empty when the component is off.
    static Optional<TracingConfig> read(Block block) {
        return block.bool("enabled")
                ? Optional.of(new TracingConfig(
                        OtlpConfig.read(block),
                        block.share("sampling-ratio"),
                        block.bool("callers-decide"),
                        block.integer("max-queued-spans")))
                : Optional.empty();
    }
}

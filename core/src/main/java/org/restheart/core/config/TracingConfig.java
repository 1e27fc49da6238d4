package org.restheart.core.config;

import java.util.Optional;

/// `tracing`.
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

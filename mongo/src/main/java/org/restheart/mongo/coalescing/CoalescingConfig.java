package org.restheart.mongo.coalescing;

import java.time.Duration;

/// The `mongo.coalescing` section of the configuration.
///
/// @param inserts coalesce inserts of single documents
/// @param updates coalesce changes, replacements and removals of single documents by `_id`
/// @param reads coalesce reads by `_id`
/// @param queries run identical queries that wait together once
/// @param commands concurrent commands of one queue, while batches are small or MongoDB is slow
/// @param maxBatch requests per command
/// @param maxBatchBytes bytes of documents or statements per command that writes; a larger document is sent
///     separately
/// @param maxQueued requests waiting in one queue; one more is answered `503`
/// @param maxWait a request that was not sent by then is answered `503`: MongoDB does not respond
/// @param retriesWrites whether the connection string allows retryable writes, without which inserts have no time limit
/// @param header whether `X-Coalesced` reports how many requests shared the command
public record CoalescingConfig(
        boolean inserts,
        boolean updates,
        boolean reads,
        boolean queries,
        int commands,
        int maxBatch,
        int maxBatchBytes,
        int maxQueued,
        Duration maxWait,
        boolean retriesWrites,
        boolean header) {
    public static final CoalescingConfig DEFAULT =
            new CoalescingConfig(true, true, true, true, 4, 256, 4 << 20, 10_000, Duration.ofSeconds(10), true, false);

    public CoalescingConfig {
        atLeastOne("concurrent-commands", commands);
        atLeastOne("max-batch", maxBatch);
        atLeastOne("max-batch-bytes", maxBatchBytes);
        atLeastOne("max-queued", maxQueued);
        if (!maxWait.isPositive()) {
            throw new IllegalArgumentException("mongo.coalescing.max-wait must be positive but was " + maxWait);
        }
    }

    private static void atLeastOne(String key, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("mongo.coalescing." + key + " must be at least 1 but was " + value);
        }
    }
}

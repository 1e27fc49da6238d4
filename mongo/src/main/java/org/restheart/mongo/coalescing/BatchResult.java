package org.restheart.mongo.coalescing;

/// The outcome of a command for one request.
///
/// @param sharing how many requests the command served; 0 for one that may serve no other
public record BatchResult<O>(O outcome, int sharing) {}

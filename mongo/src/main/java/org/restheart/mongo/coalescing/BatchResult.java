package org.restheart.mongo.coalescing;

/// What a command brought back for one request.
///
/// @param sharing how many requests the command served
public record BatchResult<O>(O outcome, int sharing) {}

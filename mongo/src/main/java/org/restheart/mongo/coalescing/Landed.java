package org.restheart.mongo.coalescing;

/// What a flight brought back for one request.
///
/// @param sharing how many requests the flight served
public record Landed<O>(O outcome, int sharing) {}

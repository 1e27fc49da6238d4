package org.restheart.graphql.app;

import java.util.Optional;

/// What an operator allows all definitions.
///
/// @param maxLimit of documents that a mapping asks for
/// @param onlyDatabase the only one that mappings may use, if they are restricted
/// @param asCaller whether mappings that say nothing about it read in the caller's name
/// @param allowOperators whether arguments may hold operators even where a mapping does not say so
/// @param strictScalars refuse values that would have to be widened
public record Limits(
        int maxLimit, Optional<String> onlyDatabase, boolean asCaller, boolean allowOperators, boolean strictScalars) {}

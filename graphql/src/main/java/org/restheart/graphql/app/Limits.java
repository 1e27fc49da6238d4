package org.restheart.graphql.app;

import java.util.Optional;

/// Limits that the operator sets for all definitions.
///
/// @param maxLimit of documents that a mapping queries
/// @param onlyDatabase the only one that mappings may use, if they are restricted
/// @param asCaller whether mappings read with the caller's rights by default
/// @param allowOperators whether arguments may contain operators by default
/// @param strictScalars refuse values that would have to be widened
public record Limits(
        int maxLimit, Optional<String> onlyDatabase, boolean asCaller, boolean allowOperators, boolean strictScalars) {}

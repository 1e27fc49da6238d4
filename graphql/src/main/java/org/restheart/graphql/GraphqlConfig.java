package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.graphql.app.Apps;

/// The `graphql` section of the configuration.
///
/// @param uri where apps are bound
/// @param definitions the collection of app definitions
/// @param writers roles that may write definitions; empty for all accounts with a permission to write them
/// @param cached whether apps are cached, and the interval in which they are compared with their definitions
/// @param compilesAtStart whether all apps are compiled in the background at start
/// @param revalidates whether apps are compared at all
/// @param indexed whether the paths of apps have a unique index, made at start
public record GraphqlConfig(
        String uri,
        MongoNamespace definitions,
        List<String> writers,
        boolean cached,
        Duration revalidation,
        boolean compilesAtStart,
        boolean revalidates,
        boolean indexed,
        Answers answers,
        Queries queries,
        boolean restrictMappingDb,
        boolean asCaller,
        boolean checkOperators,
        boolean strictScalars) {

    /// Limits of responses.
    ///
    /// @param timeLimit of a request; zero for none
    /// @param aggregationMaxResults of one pipeline; 0 for no bound
    /// @param maxBytes of a response, of the documents that are read for it, and of memory while it is computed
    /// @param verbose whether responses contain statistics of loading
    /// @param extendedDates whether a `DateTime` is Extended JSON, else ISO 8601
    public record Answers(
            int defaultLimit,
            int maxLimit,
            int aggregationMaxResults,
            Duration timeLimit,
            int maxBytes,
            boolean verbose,
            boolean extendedDates) {}

    /// Limits of queries. 0 for no limit, except for the last two.
    ///
    /// @param maxComplexity fields, with those of fragments wherever they are spread
    /// @param onlyStored refuse queries that are not stored in a definition
    /// @param maxCharacters of a query
    public record Queries(
            boolean introspection,
            int maxDepth,
            int maxComplexity,
            int maxAliases,
            boolean onlyStored,
            int maxTokens,
            int maxCharacters) {
        public static final Queries DEFAULT = new Queries(true, 50, 10_000, 500, false, 15_000, 128 << 10);
    }

    Apps.Limits limits(String database) {
        return new Apps.Limits(
                answers.maxLimit(),
                restrictMappingDb ? Optional.of(database) : Optional.empty(),
                asCaller,
                !checkOperators,
                strictScalars);
    }
}

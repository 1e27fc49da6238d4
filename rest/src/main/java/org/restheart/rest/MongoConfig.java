package org.restheart.rest;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.cursor.CursorPoolConfig;
import org.restheart.rest.aggregation.Interpolation;
import org.restheart.rest.changestream.ChangeStreamConfig;
import org.restheart.rest.exchange.Preconditions.EtagPolicies;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.resource.Mounts.Mount;
import org.restheart.rest.session.Sessions;

/// The `mongo` section of the configuration.
///
/// @param uri the path of the data API, a prefix of all mounts
/// @param metadataTtl how long metadata of databases and collections are cached; zero disables the cache
/// @param schemaTtl the same for JSON Schemas
/// @param queryTimeLimit after which MongoDB aborts a query; zero for no limit
/// @param aggregationTimeLimit the same for aggregations
/// @param bulkTimeLimit the same for whole collections: exports, and changes of many documents
/// @param aggregationCheckOperators whether `$` operators in a client's aggregation variables are refused
/// @param strictParameters refuse unknown query parameters
/// @param instanceBaseUrl base of `Location` URLs, in place of the request's host
/// @param cursorPool how deep pages are found
/// @param querySecurity operators and stages that clients' queries and aggregations must not contain
/// @param indexes what is done about queries that need one
/// @param accounts whether callers can authenticate
public record MongoConfig(
        String uri,
        List<Mount> mounts,
        Representation defaultRepresentation,
        EtagPolicies etagPolicies,
        int defaultPageSize,
        int maxPageSize,
        Duration metadataTtl,
        Duration schemaTtl,
        Duration queryTimeLimit,
        Duration aggregationTimeLimit,
        Duration bulkTimeLimit,
        boolean aggregationCheckOperators,
        boolean strictParameters,
        Optional<String> instanceBaseUrl,
        CoalescingConfig coalescing,
        CursorPoolConfig cursorPool,
        QuerySecurity querySecurity,
        IndexCheck.Settings indexes,
        ChangeStreamConfig streams,
        Sessions.Limits sessions,
        boolean accounts) {

    public MongoConfig {
        mounts = List.copyOf(mounts);
        if (maxPageSize < 1) {
            throw new IllegalArgumentException("mongo.max-pagesize must be at least 1 but was " + maxPageSize);
        }
        if (defaultPageSize < 0 || defaultPageSize > maxPageSize) {
            throw new IllegalArgumentException("mongo.default-pagesize must be from 0 to mongo.max-pagesize ("
                    + maxPageSize + ") but was " + defaultPageSize);
        }
    }

    /// If variables may contain operators, the operators are effective.
    Interpolation interpolation() {
        return Interpolation.OF_AGGREGATIONS.with(
                aggregationCheckOperators ? Interpolation.Unescaped.NONE : Interpolation.Unescaped.OF_CLIENTS);
    }

    Parameters.Settings parameterSettings() {
        return new Parameters.Settings(
                defaultRepresentation,
                defaultPageSize,
                maxPageSize,
                cursorPool.shortcuts(),
                aggregationCheckOperators,
                strictParameters);
    }
}

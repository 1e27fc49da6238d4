package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.DataFacts;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.mongo.reading.ReadRights;

/// The read rights of mappings: those of the app, which include everything except secrets, or those of the caller, by
/// judging a REST request for the collection. Thread-safe.
public final class ReadRightsOfMappings implements BiFunction<Request, Source, ReadRights> {
    private static final Problem NOT_FOR_CALLER = Problem.of(
            ProblemCode.FORBIDDEN,
            "Forbidden: this is read with the caller's permissions (\"as\": \"caller\"), and none allows it");

    private static final Via VIA = Via.of(Via.Service.GRAPHQL, "query");

    private final Function<MongoNamespace, Optional<RequestPath>> paths;
    private final JudgedRequests judged;
    private final Map<MongoNamespace, BsonDocument> hidden;
    private final Set<MongoNamespace> reserved;

    /// @param paths the paths of collections in the REST API
    /// @param hidden projections that remove secrets, by collection
    /// @param reserved collections that no app reads
    public ReadRightsOfMappings(
            Function<MongoNamespace, Optional<RequestPath>> paths,
            JudgedRequests judged,
            Map<MongoNamespace, BsonDocument> hidden,
            Set<MongoNamespace> reserved) {
        this.paths = paths;
        this.judged = judged;
        this.hidden = hidden;
        this.reserved = reserved;
    }

    /// @throws ProblemException 403 if the caller may not read the collection, or no caller may
    @Override
    public ReadRights apply(Request request, Source source) {
        if (reserved.stream().anyMatch(namespace -> isNamed(namespace, source.namespace()))) {
            throw JudgedRequests.NOT_PERMITTED.raise();
        }
        if (!source.asCaller()) {
            return new ReadRights(Optional.empty(), Optional.ofNullable(hidden.get(source.namespace())));
        }
        var path = paths.apply(source.namespace()).orElseThrow(JudgedRequests.NOT_PERMITTED::raise);
        var rights = new AtomicReference<ReadRights>();
        try {
            judged.make(
                    request,
                    JudgedRequest.of(Method.GET, path, Query.NONE, VIA)
                            .with(DataFacts.ASKED, facts -> rights.set(ReadRights.of(facts.grant()))));
        } catch (ProblemException e) {
            throw JudgedRequests.isNotPermitted(e.problem()) ? NOT_FOR_CALLER.raise() : e;
        }
        return Optional.ofNullable(rights.get()).orElseThrow(JudgedRequests.NOT_PERMITTED::raise);
    }

    /// Names are compared without regard to case, as on a case-insensitive file system.
    private static boolean isNamed(MongoNamespace reserved, MongoNamespace named) {
        return reserved.getFullName().equalsIgnoreCase(named.getFullName());
    }
}

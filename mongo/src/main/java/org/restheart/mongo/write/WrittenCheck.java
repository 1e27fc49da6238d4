package org.restheart.mongo.write;

import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.RequestCollections;

/// Refuses new documents that the write filter does not match, for permissions with this check. The filter is
/// evaluated by MongoDB (`$documents`, since MongoDB 5.1).
public final class WrittenCheck {
    /// Bytes of documents per command; a command may have 16 MiB.
    private static final int MAX_BYTES = 4 << 20;

    private WrittenCheck() {}

    /// The condition on stored documents; empty without the check.
    public static Optional<BsonDocument> condition(DataRequest request) {
        return Optional.of(request.grant()).filter(Access::checkWritten).flatMap(Access::writeFilter);
    }

    /// Whether documents have to be checked before they are stored.
    public static boolean isAsked(DataRequest request) {
        return request.http().attribute(DocumentCheck.KEY).isPresent()
                || condition(request).isPresent();
    }

    /// Blocks for MongoDB if there is a condition.
    ///
    /// @throws ProblemException 403
    public static void check(RequestCollections collections, DataRequest request, List<RawBsonDocument> documents) {
        request.http().attribute(DocumentCheck.KEY).ifPresent(check -> {
            request.http().requireThread();
            check.check(documents);
        });
        condition(request).ifPresent(condition -> {
            request.http().requireThread();
            for (int from = 0; from < documents.size(); ) {
                int to = from;
                for (long bytes = 0; to < documents.size() && (to == from || bytes < MAX_BYTES); to++) {
                    bytes += documents.get(to).getByteBuffer().remaining();
                }
                check(collections, request, condition, documents.subList(from, to));
                from = to;
            }
        });
    }

    private static void check(
            RequestCollections collections,
            DataRequest request,
            BsonDocument condition,
            List<RawBsonDocument> documents) {
        var stages = List.of(
                new BsonDocument("$documents", new BsonArray(literals(documents))),
                new BsonDocument("$match", new BsonDocument("$nor", new BsonArray(List.of(condition)))),
                new BsonDocument("$limit", new BsonInt32(1)));
        var database = collections.database(request.path().requireDb());
        var outside = database.aggregate(stages, BsonDocument.class);
        // as reads of the collection compare texts: documents of no collection have no collation
        request.resource().collation().ifPresent(outside::collation);
        if (outside.first() != null) {
            throw outside();
        }
    }

    public static ProblemException outside() {
        return new ProblemException(
                ProblemCode.FORBIDDEN, "the permission does not cover the document as it would be stored");
    }

    private static List<BsonDocument> literals(List<RawBsonDocument> documents) {
        return documents.stream()
                .map(document -> new BsonDocument("$literal", document))
                .toList();
    }
}

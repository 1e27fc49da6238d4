package org.restheart.mongo.exchange;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.mongo.write.DocumentWrite.Judge;

/// What decides whether documents may be stored, besides the schema of their collection: the condition of permissions
/// with this check, which MongoDB evaluates (`$documents`, since MongoDB 5.1), and postconditions of guards.
///
/// @param condition that stored documents must match
/// @param collation as reads of the collection compare texts: documents of no collection have no collation
public record WrittenCheck(
        MongoDatabase database,
        Optional<BsonDocument> condition,
        Optional<Collation> collation,
        Optional<DocumentCheck> postcondition) {
    /// Bytes of documents per command; a command may have 16 MiB.
    private static final int MAX_BYTES = 4 << 20;

    /// Empty if nothing has to be checked before it is stored.
    public static Optional<WrittenCheck> of(RequestCollections collections, DataRequest request) {
        var condition = condition(request.grant());
        var postcondition = request.http().attribute(DocumentCheck.KEY);
        return condition.isEmpty() && postcondition.isEmpty()
                ? Optional.empty()
                : Optional.of(new WrittenCheck(
                        collections.database(request.path().requireDb()),
                        condition,
                        request.resource().collation(),
                        postcondition));
    }

    /// What judges the result of an update; empty if nothing has to.
    ///
    /// @param mayLeave whether the update could turn a document that a condition matches into another
    public static Optional<Judge> ofUpdate(
            RequestCollections collections, DataRequest request, Predicate<BsonDocument> mayLeave) {
        var check = of(collections, request);
        boolean isAsked = request.validation().isPresent()
                || check.filter(asked -> asked.postcondition.isPresent()
                                || asked.condition.filter(mayLeave).isPresent())
                        .isPresent();
        return isAsked
                ? Optional.of(new Judge(collections.client(), document -> {
                    check.ifPresent(asked -> asked.check(List.of(document)));
                    // violations reveal the document's content
                    request.validation()
                            .ifPresent(validation ->
                                    validation.check(document, request.grant().showsAll()));
                }))
                : Optional.empty();
    }

    /// The condition on stored documents; empty without the check.
    public static Optional<BsonDocument> condition(Access access) {
        return access.checkWritten() ? access.writeFilter() : Optional.empty();
    }

    /// Checks the documents of a request on its thread.
    ///
    /// @throws ProblemException 403
    public static void check(RequestCollections collections, DataRequest request, List<RawBsonDocument> documents) {
        of(collections, request).ifPresent(check -> {
            request.http().requireThread();
            check.check(documents);
        });
    }

    /// Blocks for MongoDB.
    ///
    /// @throws ProblemException 403
    public void check(List<RawBsonDocument> documents) {
        postcondition.ifPresent(check -> check.check(documents));
        condition.ifPresent(required -> {
            for (int from = 0; from < documents.size(); ) {
                int to = from;
                for (long bytes = 0; to < documents.size() && (to == from || bytes < MAX_BYTES); to++) {
                    bytes += documents.get(to).getByteBuffer().remaining();
                }
                check(required, documents.subList(from, to));
                from = to;
            }
        });
    }

    private void check(BsonDocument required, List<RawBsonDocument> documents) {
        var stages = List.of(
                new BsonDocument("$documents", new BsonArray(literals(documents))),
                new BsonDocument("$match", new BsonDocument("$nor", new BsonArray(List.of(required)))),
                new BsonDocument("$limit", new BsonInt32(1)));
        var outside = database.aggregate(stages, BsonDocument.class);
        collation.ifPresent(outside::collation);
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

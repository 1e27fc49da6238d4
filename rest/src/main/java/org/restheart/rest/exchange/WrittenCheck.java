package org.restheart.rest.exchange;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.mongo.write.DocumentWrite.Judge;
import org.restheart.mongo.write.StoredCondition;

/// What decides whether documents may be stored, besides the schema of their collection: the condition of permissions
/// with this check, and postconditions of guards.
public record WrittenCheck(Optional<StoredCondition> condition, Optional<DocumentCheck> postcondition) {
    /// Empty if nothing has to be checked before it is stored.
    public static Optional<WrittenCheck> of(RequestCollections collections, DataRequest request) {
        var condition = condition(request.grant());
        var postcondition = request.http().attribute(DocumentCheck.KEY);
        return condition.isEmpty() && postcondition.isEmpty()
                ? Optional.empty()
                : Optional.of(new WrittenCheck(
                        condition.map(required -> new StoredCondition(
                                collections.database(request.path().requireDb()),
                                required,
                                request.resource().collation())),
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
                                || asked.condition
                                        .map(StoredCondition::required)
                                        .filter(mayLeave)
                                        .isPresent())
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
        condition.ifPresent(required -> required.check(documents));
    }
}

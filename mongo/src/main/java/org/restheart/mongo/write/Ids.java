package org.restheart.mongo.write;

import java.util.ArrayList;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Filters by `_id`, and changes that keep it.
public final class Ids {
    private Ids() {}

    /// A filter for exactly this id: a document or regular expression is not interpreted as a condition.
    public static BsonDocument equal(BsonValue id) {
        return new BsonDocument(
                "_id",
                switch (id.getBsonType()) {
                    case DOCUMENT, REGULAR_EXPRESSION -> new BsonDocument("$eq", id);
                    default -> id;
                });
    }

    /// The same change, which also sets the id of a document that an upsert inserts. MongoDB usually copies
    /// it from the filter, but not from one that no document can match (`$in` of nothing): then it generates
    /// an id, or uses the one in the client's change.
    ///
    /// @throws org.restheart.http.ProblemException 400 for operators that set another id
    static Update kept(Update update, BsonValue id) {
        return switch (update) {
            case Update.Operators(var operators) -> new Update.Operators(withId(operators.clone(), id));
            case Update.Pipeline(var stages) -> {
                var all = new ArrayList<>(stages);
                all.add(BsonDocument.parse("{$set: {_id: {$cond: [{$eq: ['$_id', 0]}, '$_id', 0]}}}"));
                var literal = new BsonDocument("$literal", id);
                var condition =
                        all.getLast().getDocument("$set").getDocument("_id").getArray("$cond");
                condition.get(0).asDocument().getArray("$eq").set(1, literal);
                condition.set(2, literal);
                yield new Update.Pipeline(all);
            }
        };
    }

    private static BsonDocument withId(BsonDocument operators, BsonValue id) {
        if (operators.get("$setOnInsert", new BsonDocument()) instanceof BsonDocument fields) {
            if (!fields.get("_id", id).equals(id)) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, "_id in json data cannot be different than id in URL");
            }
            operators.put("$setOnInsert", fields.clone().append("_id", id));
        }
        return operators;
    }
}

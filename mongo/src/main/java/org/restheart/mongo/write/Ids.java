package org.restheart.mongo.write;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.find.HarmlessFilter;

/// Filters by `_id`, changes that keep it, and the ids that a request has written.
public final class Ids {
    private static final BsonDocument BY_ID = new BsonDocument("_id", new BsonInt32(1));

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

    /// A filter for exactly this id, and for further conditions.
    ///
    /// @param others may be empty
    public static BsonDocument equal(BsonValue id, BsonDocument others) {
        var filter = equal(id);
        return others.isEmpty() ? filter : filter.append("$and", new BsonArray(List.of(others)));
    }

    /// The hint of a write by id: a filter that can fail must not be evaluated on other documents, whatever index it
    /// could use.
    ///
    /// @param others conditions beside the id
    public static @Nullable BsonDocument hint(BsonDocument others) {
        return HarmlessFilter.is(others) ? null : BY_ID;
    }

    /// The ids of those documents that have a tag which is unique to a request: an earlier attempt of it wrote them.
    /// Reads from the primary.
    ///
    /// @return modifiable
    public static Set<BsonValue> taggedWith(
            ObjectId etag, MongoCollection<RawBsonDocument> collection, Collection<BsonValue> ids) {
        return found(collection, anyOf(ids).append(EntityTags.FIELD, new BsonObjectId(etag)));
    }

    /// Those ids that documents have. Reads from the primary.
    static Set<BsonValue> stored(MongoCollection<RawBsonDocument> collection, Collection<BsonValue> ids) {
        return found(collection, anyOf(ids));
    }

    private static BsonDocument anyOf(Collection<BsonValue> ids) {
        return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(List.copyOf(ids))));
    }

    private static Set<BsonValue> found(MongoCollection<RawBsonDocument> collection, BsonDocument filter) {
        return collection
                .withReadPreference(ReadPreference.primary())
                .find(filter)
                .projection(BY_ID)
                .map(document -> document.get("_id"))
                .into(new HashSet<>());
    }

    /// The same change, which also sets the id of a document that an upsert inserts. MongoDB usually copies
    /// it from the filter, but not from one that no document can match (`$in` of nothing): then it generates
    /// an id, or uses the one in the client's change.
    ///
    /// @throws org.restheart.http.ProblemException 400 for operators that set another id
    static Update kept(Update update, BsonValue id) {
        return switch (update) {
            case Update.Operators(var operators, var arrayFilters) ->
                new Update.Operators(withId(operators.clone(), id), arrayFilters);
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

package org.restheart.mongo.bulk;

import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.http.Request;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;
import org.restheart.mongo.exchange.EntityTags;

/// The entity tag of all documents of a batch that may be sent again: a document that has it was stored by an earlier
/// attempt. Set by the server only.
public final class BatchTag {
    private static final Key<ObjectId> KEY = Key.named("batch tag");
    private static final Key<Instant> FIRST_ATTEMPT = Key.named("first attempt of batch");

    private BatchTag() {}

    public static Attributes in(Attributes attributes, ObjectId tag) {
        return attributes.with(KEY, tag);
    }

    /// The same for a batch that is sent again.
    ///
    /// @param firstAttempt when it was sent first
    public static Attributes again(Attributes attributes, ObjectId tag, Instant firstAttempt) {
        return in(attributes, tag).with(FIRST_ATTEMPT, firstAttempt);
    }

    /// A condition on a document that a batch replaces. An earlier attempt may have replaced it before somebody
    /// else has changed it: then it has an entity tag that is newer than that attempt. Empty at the first
    /// attempt.
    static BsonDocument unchanged(Request request) {
        return request.attribute(FIRST_ATTEMPT)
                .map(first -> {
                    var newer =
                            new BsonDocument("$gte", new BsonObjectId(ObjectId.getSmallestWithDate(Date.from(first))));
                    return new BsonDocument(
                            "$or",
                            new BsonArray(List.of(
                                    new BsonDocument(EntityTags.FIELD, new BsonObjectId(of(request))),
                                    new BsonDocument(EntityTags.FIELD, new BsonDocument("$not", newer)))));
                })
                .orElseGet(BsonDocument::new);
    }

    /// A new one for requests that are not sent again.
    static ObjectId of(Request request) {
        return request.attribute(KEY).orElseGet(ObjectId::new);
    }

    static boolean isIn(Request request) {
        return request.attribute(KEY).isPresent();
    }
}

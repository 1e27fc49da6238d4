package org.restheart.mongo.write;

import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.mongo.write.WriteOutcome.Refused;
import org.restheart.mongo.write.WriteOutcome.Stale;
import org.restheart.mongo.write.WriteOutcome.TagRequired;

/// What a client must know of a stored document, or of stored properties, to be allowed to change them
/// (RFC 9110, 13.1.1). Entity tags here are the bare values of `_etag`, so `*` and quoted tags match nothing.
public sealed interface Precondition {

    /// Anybody may.
    record None() implements Precondition {}

    /// The client should have named the tag and did not: only what has no tag may be changed.
    record Untagged() implements Precondition {}

    /// `If-Match`: only what has this tag may be changed.
    record IfMatch(String tag) implements Precondition {}

    /// What `_etag` must match, as a part of a MongoDB filter. Never an equality, which an upsert would copy.
    default Optional<BsonValue> condition() {
        return switch (this) {
            case None() -> Optional.empty();
            case Untagged() -> Optional.of(not(type("objectId", "string")));
            case IfMatch(var tag) -> Optional.of(new BsonDocument("$in", values(tag)));
        };
    }

    /// Why what has this tag, or none, may not be changed: the same rule as [#condition()]. Empty if it may.
    default Optional<Refused> refusal(Optional<String> stored) {
        return switch (this) {
            case None() -> Optional.empty();
            case Untagged() -> stored.map(TagRequired::new);
            case IfMatch(var tag) ->
                stored.isPresent() && matches(tag, stored.get()) ? Optional.empty() : Optional.of(new Stale(stored));
        };
    }

    /// A tag that spells an ObjectId means the ObjectId, or the same text.
    private static BsonArray values(String tag) {
        return ObjectId.isValid(tag)
                ? new BsonArray(List.of(new BsonObjectId(new ObjectId(tag)), new BsonString(tag)))
                : new BsonArray(List.of(new BsonString(tag)));
    }

    private static boolean matches(String tag, String stored) {
        return stored.equals(tag) || (ObjectId.isValid(tag) && stored.equals(new ObjectId(tag).toHexString()));
    }

    private static BsonDocument type(String... names) {
        var types = new BsonArray();
        for (var name : names) {
            types.add(new BsonString(name));
        }
        return new BsonDocument("$type", types);
    }

    private static BsonDocument not(BsonDocument condition) {
        return new BsonDocument("$not", condition);
    }
}

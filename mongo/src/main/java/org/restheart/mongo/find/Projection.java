package org.restheart.mongo.find;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/// What of each document is shown. The client's projection sees only what the access rule's leaves of a
/// document, so no expression in it can bring back a hidden field under another name. Immutable.
///
/// @param permitted what the access rule leaves; empty for everything
/// @param wanted what the client picks of that; empty for everything
public record Projection(BsonDocument permitted, BsonDocument wanted) {
    public static final Projection ALL = new Projection(new BsonDocument(), new BsonDocument());

    /// @param rule an access rule's projection, of which nothing is shown that it does not name: MongoDB would
    ///     add `_id`
    public static Projection of(Optional<BsonDocument> rule, BsonDocument wanted) {
        return new Projection(rule.map(Projection::exactly).orElseGet(BsonDocument::new), wanted);
    }

    private static BsonDocument exactly(BsonDocument rule) {
        boolean including = rule.values().stream()
                .anyMatch(value -> value.isNumber() && value.asNumber().intValue() != 0);
        return including && !rule.containsKey("_id") ? rule.clone().append("_id", new BsonInt32(0)) : rule;
    }

    /// Whether one has to be applied to the other's result.
    public boolean isStaged() {
        return !permitted.isEmpty() && !wanted.isEmpty();
    }

    /// The only projection there is, if any.
    public BsonDocument single() {
        if (isStaged()) {
            throw new IllegalStateException("two projections");
        }
        return permitted.isEmpty() ? wanted : permitted;
    }
}

package org.restheart.mongo.find;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/// The projection of a query. The client's projection is applied to the result of the access rule's, so no
/// expression in it can return a hidden field under another name. Immutable.
///
/// @param permitted the access rule's projection; empty for everything
/// @param wanted the client's projection; empty for everything
public record Projection(BsonDocument permitted, BsonDocument wanted) {
    public static final Projection ALL = new Projection(new BsonDocument(), new BsonDocument());

    /// @param rule an access rule's projection; only fields that it names are shown, while MongoDB would add
    ///     `_id`
    public static Projection of(Optional<BsonDocument> rule, BsonDocument wanted) {
        return new Projection(rule.map(Projection::exactly).orElseGet(BsonDocument::new), wanted);
    }

    /// The stage of a pipeline that applies an access rule's projection; none without one.
    public static List<BsonDocument> stages(Optional<BsonDocument> rule) {
        var permitted = of(rule, new BsonDocument()).permitted();
        return permitted.isEmpty() ? List.of() : List.of(new BsonDocument("$project", permitted));
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

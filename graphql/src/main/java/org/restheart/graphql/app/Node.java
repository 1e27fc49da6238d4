package org.restheart.graphql.app;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A value whose fields a query selects, with the document at the root of the path to it, so that values that are
/// loaded together keep their own root.
///
/// @param root the value itself, on the first level
public record Node(BsonValue value, BsonValue root) {
    /// The parent of the fields of `Query`.
    public static final Node NOTHING = new Node(new BsonDocument(), new BsonDocument());

    /// Whether this is the parent of the fields of `Query`, which an empty document is not.
    @SuppressWarnings("ReferenceEquality")
    public boolean isNothing() {
        return this == NOTHING;
    }
}

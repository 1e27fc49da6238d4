package org.restheart.http.judged;

import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.access.Grant;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;

/// What a service may want to know of a request instead of having it carried out: what the access rules grant, and what
/// is stored with the collection. Immutable by agreement.
///
/// @param kind of the resource
/// @param properties those of the collection, or of the database; empty if it has none
public record DataFacts(ResourceKind kind, Grant grant, Optional<BsonDocument> properties) {
    /// Who asks. The request is authorized and its parameters are checked as always; then it is over.
    public static final Key<Consumer<DataFacts>> ASKED = Key.named("facts");
}

package org.restheart.http.judged;

import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.access.Grant;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;

/// Facts about a judged request that is authorized and checked but not carried out: what access rules grant, and
/// the metadata of the resource. Immutable; `properties` must not be changed.
///
/// @param kind the kind of resource
/// @param grant the grant of the permission that allows the request
/// @param properties of the collection, or of the database; empty if it has none
public record DataFacts(ResourceKind kind, Grant grant, Optional<BsonDocument> properties) {
    /// Set for requests that only ask for these facts: receives them after authorization and the check of
    /// parameters, in place of the handler.
    public static final Key<Consumer<DataFacts>> ASKED = Key.named("facts");
}

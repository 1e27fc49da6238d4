package org.restheart.mongo.metadata;

import com.mongodb.MongoNamespace;
import com.mongodb.client.model.Collation;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// The metadata of a database or a collection. Immutable; the properties must not be changed.
///
/// @param exists whether MongoDB has it
/// @param plain whether it is a collection whose ids are compared bytewise: no view, no time series, no
///     collation. Only there can results of one query be distinguished by id
/// @param collation with which its queries compare texts, so that access rules must too; empty for the binary one
/// @param sources what a view reads, also by way of other views
/// @param properties stored by clients, including `_id` and `_etag`; empty for one that was not created through
///     the API
public record ResourceMetadata(
        boolean exists,
        boolean plain,
        Optional<Collation> collation,
        Set<MongoNamespace> sources,
        Optional<BsonDocument> properties) {
    static final ResourceMetadata MISSING =
            new ResourceMetadata(false, false, Optional.empty(), Set.of(), Optional.empty());

    /// The deployment itself, which has no properties.
    public static final ResourceMetadata ROOT =
            new ResourceMetadata(true, false, Optional.empty(), Set.of(), Optional.empty());

    public Optional<BsonValue> property(String name) {
        return properties.map(p -> p.get(name));
    }
}

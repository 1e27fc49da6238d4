package org.restheart.mongo.description;

import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;

/// What MongoDB and the gateway hold of a database besides documents. Immutable by agreement.
///
/// @param collections by code point of their names, without reserved ones
/// @param schemas the stored JSON Schemas by the text of their ids, as they are meant
public record DatabaseStructure(
        String name, List<CollectionStructure> collections, Map<String, BsonDocument> schemas) {}

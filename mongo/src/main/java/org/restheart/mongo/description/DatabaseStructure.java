package org.restheart.mongo.description;

import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;

/// A database without documents: its collections and JSON Schemas. Immutable by agreement.
///
/// @param collections by code point of their names, without reserved ones
/// @param schemas the stored JSON Schemas, with unescaped keys, by the text of their ids
public record DatabaseStructure(
        String name, List<CollectionStructure> collections, Map<String, BsonDocument> schemas) {}

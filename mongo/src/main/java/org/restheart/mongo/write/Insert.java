package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import org.bson.RawBsonDocument;

/// A document to insert and where. Immutable.
///
/// @param document with its `_id`, at most as large as MongoDB takes
public record Insert(MongoNamespace namespace, WriteConcern writeConcern, RawBsonDocument document) {}

package org.restheart.mongo.find;

import java.util.Optional;
import org.bson.BsonDocument;

/// Where in an index a query begins (MongoDB manual, "cursor.min()" and "cursor.max()"). Unlike a comparison in a
/// filter, such a bound holds across all types of values.
///
/// @param index the key pattern
/// @param reverse whether the sort runs against the index: the query then begins below the key instead of at it
/// @param key one value for each field of the index; absent to begin at the end of the index
public record IndexRange(BsonDocument index, boolean reverse, Optional<? extends BsonDocument> key) {}

package org.restheart.mongo.changestream;

import com.mongodb.MongoNamespace;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/// What one MongoDB cursor is for: listeners with equal keys share it.
///
/// @param pipeline after variables were replaced; as text, since the order of keys counts and their types do
record StreamKey(
        MongoNamespace namespace, String pipeline, FullDocument fullDocument, FullDocumentBeforeChange beforeChange) {
    private static final JsonWriterSettings EVERY_TYPE =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    static StreamKey of(MongoNamespace namespace, List<BsonDocument> pipeline, StreamDefinition definition) {
        var text = new BsonDocument("pipeline", new BsonArray(pipeline)).toJson(EVERY_TYPE);
        return new StreamKey(namespace, text, definition.fullDocument(), definition.beforeChange());
    }

    List<BsonDocument> stages() {
        return BsonDocument.parse(pipeline).getArray("pipeline").stream()
                .map(BsonValue::asDocument)
                .toList();
    }
}

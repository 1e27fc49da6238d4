package org.restheart.mongo.changestream;

import com.mongodb.MongoNamespace;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.restheart.mongo.background.Followed;

/// The key of a shared MongoDB cursor: listeners with equal keys share it.
///
/// @param pipeline after variables were replaced; as text, since the order of keys counts and their types do
/// @param collation of the pipeline, which has none of its own; empty for the binary one
record StreamKey(
        MongoNamespace namespace,
        String pipeline,
        Optional<Collation> collation,
        FullDocument fullDocument,
        FullDocumentBeforeChange beforeChange) {
    private static final JsonWriterSettings EVERY_TYPE =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    static StreamKey of(
            MongoNamespace namespace,
            List<BsonDocument> pipeline,
            Optional<Collation> collation,
            StreamDefinition definition) {
        var text = new BsonDocument("pipeline", new BsonArray(pipeline)).toJson(EVERY_TYPE);
        return new StreamKey(namespace, text, collation, definition.fullDocument(), definition.beforeChange());
    }

    /// The change stream of the key in a deployment.
    Followed in(MongoClient client) {
        return new Followed() {
            @Override
            public String name() {
                return namespace.getFullName();
            }

            @Override
            public List<BsonDocument> pipeline() {
                return stages();
            }

            @Override
            public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
                return client.getDatabase(namespace.getDatabaseName())
                        .getCollection(namespace.getCollectionName())
                        .watch(stages, RawBsonDocument.class);
            }

            @Override
            public ChangeStreamIterable<RawBsonDocument> withOptions(ChangeStreamIterable<RawBsonDocument> stream) {
                collation.ifPresent(stream::collation);
                return stream.fullDocument(fullDocument).fullDocumentBeforeChange(beforeChange);
            }
        };
    }

    private List<BsonDocument> stages() {
        return BsonDocument.parse(pipeline).getArray("pipeline").stream()
                .map(BsonValue::asDocument)
                .toList();
    }
}

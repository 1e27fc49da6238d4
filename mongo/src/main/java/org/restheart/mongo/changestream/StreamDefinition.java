package org.restheart.mongo.changestream;

import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.metadata.EscapedKeys;

/// One entry of a collection's property `streams`.
///
/// @param entry as stored: what listeners are closed for when it changes
/// @param stages with variables, their keys as MongoDB wants them
record StreamDefinition(
        BsonDocument entry,
        List<BsonDocument> stages,
        Optional<NotifyWhen> notifyWhen,
        FullDocument fullDocument,
        FullDocumentBeforeChange beforeChange) {
    static final String PROPERTY = "streams";

    /// The entry of that name, unread; the first one counts. Entries that are malformed are nobody's.
    static Optional<BsonDocument> find(Optional<BsonValue> streams, String uri) {
        return streams.filter(BsonValue::isArray).stream()
                .flatMap(array -> array.asArray().stream())
                .filter(BsonValue::isDocument)
                .map(BsonValue::asDocument)
                .filter(entry -> new BsonString(uri).equals(entry.get("uri")))
                .findFirst();
    }

    static StreamDefinition parse(BsonDocument entry) throws MalformedStream {
        var stages = new ArrayList<BsonDocument>();
        var declared = entry.get("stages");
        if (declared == null || !declared.isArray()) {
            throw new MalformedStream("stages must be an array");
        }
        for (var stage : declared.asArray()) {
            if (!stage.isDocument()) {
                throw new MalformedStream("stages must be an array of objects");
            }
            stages.add(EscapedKeys.unescape(stage.asDocument()));
        }
        var filter = entry.get("notify_when");
        boolean required = BsonBoolean.TRUE.equals(entry.get("notify_when_required"));
        return new StreamDefinition(
                entry,
                List.copyOf(stages),
                filter == null ? Optional.empty() : Optional.of(NotifyWhen.parse(filter, required)),
                fullDocument(entry.get("fullDocument")),
                beforeChange(entry.get("fullDocumentBeforeChange")));
    }

    private static FullDocument fullDocument(@Nullable BsonValue option) throws MalformedStream {
        if (option == null) {
            return FullDocument.UPDATE_LOOKUP;
        }
        return switch (text(option)) {
            case "default" -> FullDocument.DEFAULT;
            case "updateLookup" -> FullDocument.UPDATE_LOOKUP;
            case "whenAvailable" -> FullDocument.WHEN_AVAILABLE;
            case "required" -> FullDocument.REQUIRED;
            default ->
                throw new MalformedStream("fullDocument must be default, updateLookup, whenAvailable or required");
        };
    }

    private static FullDocumentBeforeChange beforeChange(@Nullable BsonValue option) throws MalformedStream {
        if (option == null) {
            return FullDocumentBeforeChange.OFF;
        }
        return switch (text(option)) {
            case "off" -> FullDocumentBeforeChange.OFF;
            case "whenAvailable" -> FullDocumentBeforeChange.WHEN_AVAILABLE;
            case "required" -> FullDocumentBeforeChange.REQUIRED;
            default -> throw new MalformedStream("fullDocumentBeforeChange must be off, whenAvailable or required");
        };
    }

    private static String text(BsonValue value) {
        return value.isString() ? value.asString().getValue() : "";
    }
}

package org.restheart.mongo.changestream;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.push.Message;

/// One change as MongoDB tells it, encoded at most once for each way of writing JSON. Confined to the thread that
/// follows the stream.
final class Event {
    private static final List<String> FIELDS = List.of("fullDocument", "fullDocumentBeforeChange", "documentKey");
    private static final JsonWriterSettings TOKEN = JsonWriterSettings.builder().build();

    private final RawBsonDocument change;
    private final BsonDocument token;
    private final Map<JsonMode, Message> messages = new EnumMap<>(JsonMode.class);
    private @Nullable BsonDocument document;

    /// @param change the whole event, after the pipeline
    /// @param token where a stream resumes after it
    Event(RawBsonDocument change, BsonDocument token) {
        this.change = change;
        this.token = token;
    }

    BsonDocument token() {
        return token;
    }

    /// How long ago the change was made; empty if the pipeline took that away. MongoDB tells it since version 6.0.
    Optional<Duration> age() {
        return change.get("wallTime") instanceof BsonDateTime time
                ? Optional.of(Duration.between(Instant.ofEpochMilli(time.getValue()), Instant.now()))
                : Optional.empty();
    }

    /// What listeners are told.
    BsonDocument document() {
        if (document == null) {
            var told = new BsonDocument();
            FIELDS.forEach(name -> copy(change, name, told));
            if (change.get("updateDescription") instanceof BsonDocument description) {
                var update = new BsonDocument();
                copy(description, "updatedFields", update);
                copy(description, "removedFields", update);
                told.append("updateDescription", update);
            }
            copy(change, "operationType", told);
            document = told;
        }
        return document;
    }

    private static void copy(BsonDocument from, String name, BsonDocument to) {
        var value = from.get(name);
        if (value != null && !value.isNull()) {
            to.append(name, value);
        }
    }

    Message message(JsonMode mode) {
        return messages.computeIfAbsent(mode, this::encode);
    }

    private Message encode(JsonMode mode) {
        var out = new Utf8Buffer();
        JsonEncoder.of(mode).encode(document(), out);
        return new Message(token.toJson(TOKEN), out.toByteArray());
    }
}

package org.restheart.rest.changestream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.push.Message;
import org.restheart.mongo.background.ChangeCursor.Change;

/// One change event of MongoDB, encoded at most once per JSON mode. Confined to the thread that follows the stream.
final class Event {
    private static final List<String> FIELDS = List.of("fullDocument", "fullDocumentBeforeChange", "documentKey");
    private static final JsonWriterSettings TOKEN = JsonWriterSettings.builder().build();

    private final RawBsonDocument change;
    private final BsonDocument token;
    private final Map<JsonMode, byte[]> texts = new EnumMap<>(JsonMode.class);
    private final Map<Form, Message> messages = new HashMap<>();
    private @Nullable BsonDocument document;

    /// @param withToken whether the message contains its resume token; server-sent events always do
    /// @param seal of that token, if it is not MongoDB's own
    record Form(JsonMode mode, boolean withToken, Optional<TokenSeal> seal) {
        /// A token as listeners know it.
        String id(BsonDocument token) {
            return seal.map(key -> key.seal(token)).orElse(token).toJson(TOKEN);
        }
    }

    Event(Change change) {
        this.change = change.document();
        this.token = change.token();
    }

    BsonDocument token() {
        return token;
    }

    /// When the change was made, in milliseconds since 1970: exact since MongoDB 6.0, in seconds before. 0 if the
    /// pipeline removed the time.
    private long since() {
        if (change.get("wallTime") instanceof BsonDateTime time) {
            return time.getValue();
        }
        return change.get("clusterTime") instanceof BsonTimestamp time ? time.getTime() * 1000L : 0;
    }

    BsonDocument document() {
        if (document == null) {
            var event = new BsonDocument();
            FIELDS.forEach(name -> copy(change, name, event));
            if (change.get("updateDescription") instanceof BsonDocument description) {
                var update = new BsonDocument();
                copy(description, "updatedFields", update);
                copy(description, "removedFields", update);
                event.append("updateDescription", update);
            }
            copy(change, "operationType", event);
            document = event;
        }
        return document;
    }

    private static void copy(BsonDocument from, String name, BsonDocument to) {
        var value = from.get(name);
        if (value != null && !value.isNull()) {
            to.append(name, value);
        }
    }

    Message message(Form form) {
        return messages.computeIfAbsent(form, this::encode);
    }

    private Message encode(Form form) {
        var text = text(form.mode());
        var id = form.id(token);
        if (!form.withToken()) {
            return new Message(id, text, since());
        }
        var head = ("{\"token\":" + id + ",\"event\":").getBytes(UTF_8);
        var all = ByteBuffer.allocate(head.length + text.length + 1)
                .put(head)
                .put(text)
                .put((byte) '}');
        return new Message(id, all.array(), since());
    }

    private byte[] text(JsonMode mode) {
        return texts.computeIfAbsent(mode, m -> {
            var out = new Utf8Buffer();
            JsonEncoder.of(m).encode(document(), out);
            return out.toByteArray();
        });
    }
}

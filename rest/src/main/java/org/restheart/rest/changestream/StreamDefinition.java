package org.restheart.rest.changestream;

import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.KnownKeys;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.rest.changestream.StreamDefinition.MalformedStream;
import org.restheart.text.ShortText;

/// One entry of a collection's property `streams`.
///
/// @param entry as stored: listeners are closed when it changes
/// @param stages with variables, unescaped
/// @param applyReadFilter whether the read filter of listeners' access rules is applied
/// @param applyProjection whether the projection of listeners' access rules is applied
/// @param operatorsInVariables whether values of variables may be operators and field names
record StreamDefinition(
        BsonDocument entry,
        List<BsonDocument> stages,
        Optional<NotifyWhen> notifyWhen,
        FullDocument fullDocument,
        FullDocumentBeforeChange beforeChange,
        boolean applyReadFilter,
        boolean applyProjection,
        boolean operatorsInVariables) {
    static final String PROPERTY = "streams";
    static final BsonString NAME = new BsonString(PROPERTY);
    static final KnownKeys KEYS = KnownKeys.of(
            "uri stages notify_when notify_when_required fullDocument fullDocumentBeforeChange applyReadFilter"
                    + " applyProjection operatorsInVariables");

    /// Keys without which listeners may receive more than the author intended.
    private static final KnownKeys RESTRICTIONS =
            KnownKeys.of("notify_when notify_when_required applyReadFilter applyProjection");

    private static final Pattern SEGMENT = Pattern.compile("[^/]+");

    /// Whether events of updates have the document as it was right after them, not as it is when they are read.
    boolean hasImages() {
        return fullDocument == FullDocument.WHEN_AVAILABLE || fullDocument == FullDocument.REQUIRED;
    }

    static StreamDefinition parse(BsonDocument entry) throws MalformedStream {
        requireRestrictions(entry);
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
        boolean required = flag(entry, "notify_when_required", filter != null);
        if (required && filter == null) {
            throw new MalformedStream("notify_when_required needs a notify_when");
        }
        return new StreamDefinition(
                entry,
                List.copyOf(stages),
                filter == null ? Optional.empty() : Optional.of(NotifyWhen.parse(filter, required)),
                fullDocument(entry.get("fullDocument")),
                beforeChange(entry.get("fullDocumentBeforeChange")),
                flag(entry, "applyReadFilter"),
                flag(entry, "applyProjection"),
                flag(entry, "operatorsInVariables"));
    }

    /// @throws MalformedStream naming the entry
    static void validate(BsonValue streams) throws MalformedStream {
        if (!streams.isArray()) {
            throw new MalformedStream("streams must be an array");
        }
        for (int i = 0; i < streams.asArray().size(); i++) {
            var entry = streams.asArray().get(i);
            try {
                if (!entry.isDocument()) {
                    throw new MalformedStream("must be an object");
                }
                var uri = entry.asDocument().get("uri");
                if (uri == null
                        || !uri.isString()
                        || !SEGMENT.matcher(uri.asString().getValue()).matches()) {
                    throw new MalformedStream("uri must be a string without slashes that is not empty");
                }
                parse(entry.asDocument());
            } catch (MalformedStream e) {
                throw new MalformedStream("streams[" + i + "]: " + e.getMessage());
            }
        }
    }

    /// A restriction whose name is misspelt would not apply.
    private static void requireRestrictions(BsonDocument entry) throws MalformedStream {
        var known = new BsonDocument();
        entry.forEach((key, value) -> {
            if (!KEYS.known().contains(key)) {
                known.append(key, value);
            }
        });
        var misspelt = RESTRICTIONS.misspelt(known);
        if (misspelt.isPresent()) {
            throw new MalformedStream(misspelt.get());
        }
    }

    /// Checks only that no entry has a restriction that is misspelt.
    ///
    /// @throws MalformedStream naming the entry
    static void requireRestrictions(BsonValue streams) throws MalformedStream {
        if (streams.isArray()) {
            for (int i = 0; i < streams.asArray().size(); i++) {
                if (streams.asArray().get(i) instanceof BsonDocument entry) {
                    try {
                        requireRestrictions(entry);
                    } catch (MalformedStream e) {
                        throw new MalformedStream("streams[" + i + "]: " + e.getMessage());
                    }
                }
            }
        }
    }

    private static boolean flag(BsonDocument entry, String name) throws MalformedStream {
        return flag(entry, name, false);
    }

    private static boolean flag(BsonDocument entry, String name, boolean otherwise) throws MalformedStream {
        var value = entry.getOrDefault(name, BsonBoolean.valueOf(otherwise));
        if (!value.isBoolean()) {
            throw new MalformedStream(name + " must be true or false");
        }
        return value.asBoolean().getValue();
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

    /// An invalid definition; the message states the reason for its author.
    static final class MalformedStream extends Exception {
        MalformedStream(String message) {
            super(message, null, false, false);
        }
    }

    /// The filter that each listener sets for itself: `{"<event field>::<path>": {"$var": "<query parameter>"}}`.
    ///
    /// @param path the event's field and what follows, at least two names
    /// @param parameter the query parameter with the value
    /// @param required whether the parameter must be present; if it need not, every event passes without it
    record NotifyWhen(List<String> path, String parameter, boolean required) {

        /// @throws MalformedStream if it is anything else
        static NotifyWhen parse(BsonValue value, boolean required) throws MalformedStream {
            if (!value.isDocument() || value.asDocument().size() != 1) {
                throw new MalformedStream("notify_when must be an object with exactly one entry");
            }
            var entry = value.asDocument().entrySet().iterator().next();
            var key = entry.getKey();
            int at = key.indexOf("::");
            if (at < 1 || at + 2 == key.length()) {
                throw new MalformedStream("the key of notify_when must be <event field>::<path> but is " + key);
            }
            var text = key.replace("::", ".");
            if (!FieldPath.isBounded(text)) {
                throw new MalformedStream("the path of notify_when is too long: " + ShortText.of(key, 60));
            }
            var path = FieldPath.steps(text);
            if (path.contains("")) {
                throw new MalformedStream("the path of notify_when has an empty name: " + key);
            }
            return new NotifyWhen(path, variable(entry.getValue()), required);
        }

        private static String variable(BsonValue value) throws MalformedStream {
            if (value.isDocument() && value.asDocument().size() == 1) {
                var document = value.asDocument();
                var name = document.containsKey("$var") ? document.get("$var") : document.get("_$var");
                if (name != null && name.isString()) {
                    return name.asString().getValue();
                }
            }
            throw new MalformedStream("the value of notify_when must be {\"$var\": \"<query parameter>\"}");
        }

        /// Whether an event matches a listener with this value: its field is that string, or an array that contains it.
        boolean matches(BsonDocument event, String wanted) {
            BsonValue value = event;
            for (var name : path) {
                if (value == null || !value.isDocument()) {
                    return false;
                }
                value = value.asDocument().get(name);
            }
            if (value == null) {
                return false;
            }
            return value.isArray()
                    ? value.asArray().stream().anyMatch(each -> isString(each, wanted))
                    : isString(value, wanted);
        }

        private static boolean isString(BsonValue value, String wanted) {
            return value.isString() && value.asString().getValue().equals(wanted);
        }
    }
}

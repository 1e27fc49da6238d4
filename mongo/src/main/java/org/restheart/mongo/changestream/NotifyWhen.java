package org.restheart.mongo.changestream;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.ShortText;
import org.restheart.mongo.changestream.StreamDefinition.MalformedStream;

/// The filter that each listener sets for itself: `{"<event field>::<path>": {"$var": "<query parameter>"}}`.
///
/// @param path the event's field and what follows, at least two names
/// @param parameter the query parameter with the value
/// @param required whether the parameter must be present; without it every event passes
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

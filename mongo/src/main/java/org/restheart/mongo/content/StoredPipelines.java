package org.restheart.mongo.content;

import static org.restheart.mongo.content.UpdateOperators.SET;
import static org.restheart.mongo.content.UpdateOperators.SET_ON_INSERT;

import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.metadata.EscapedKeys;

/// The aggregations in a collection's property `aggrs`, which are always stored with escaped keys.
final class StoredPipelines {
    private static final String PROPERTY = "aggrs";

    private StoredPipelines() {}

    /// @param properties changed
    static void escape(BsonDocument properties) {
        properties.computeIfPresent(PROPERTY, (_, value) -> EscapedKeys.escape(value));
    }

    /// @param paths the operand of an update operator; changed
    static void escape(String operator, BsonDocument paths) {
        switch (operator) {
            case SET, SET_ON_INSERT -> of(paths).forEach(entry -> entry.setValue(EscapedKeys.escape(entry.getValue())));
            case "$push", "$addToSet" -> of(paths).forEach(entry -> entry.setValue(pushed(entry.getValue())));
            default -> {}
        }
    }

    private static Iterable<Map.Entry<String, BsonValue>> of(BsonDocument paths) {
        return paths.entrySet().stream()
                .filter(entry -> Paths.within(entry.getKey(), PROPERTY))
                .toList();
    }

    /// The keys of modifiers are kept; the elements of `$each` are escaped.
    private static BsonValue pushed(BsonValue value) {
        if (!value.isDocument() || !value.asDocument().containsKey("$each")) {
            return EscapedKeys.escape(value);
        }
        var modifiers = Copies.shallow(value.asDocument());
        modifiers.computeIfPresent("$each", (_, elements) -> EscapedKeys.escape(elements));
        return modifiers;
    }
}

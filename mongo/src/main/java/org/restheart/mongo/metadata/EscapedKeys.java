package org.restheart.mongo.metadata;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Escapes keys of stored pipelines and JSON Schemas, which earlier versions of MongoDB refused: `_$` for a leading
/// `$` and `::` for a dot.
public final class EscapedKeys {
    private static final String DOLLAR = "_$";
    private static final String DOT = "::";

    private EscapedKeys() {}

    /// A copy whose keys can be stored. Escaped keys are not changed.
    public static BsonValue escape(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> {
                var escaped = new BsonDocument();
                value.asDocument().forEach((key, member) -> escaped.append(escape(key), escape(member)));
                yield escaped;
            }
            case ARRAY ->
                new BsonArray(value.asArray().stream().map(EscapedKeys::escape).toList());
            default -> value;
        };
    }

    private static String escape(String key) {
        return (key.startsWith("$") ? "_" + key : key).replace(".", DOT);
    }

    /// A copy with unescaped keys; string values that begin with `_$` lose the `_` too.
    public static BsonValue unescape(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> unescape(value.asDocument());
            case ARRAY ->
                new BsonArray(
                        value.asArray().stream().map(EscapedKeys::unescape).toList());
            case STRING -> {
                var text = value.asString().getValue();
                yield text.startsWith(DOLLAR) ? new BsonString(text.substring(1)) : value;
            }
            default -> value;
        };
    }

    public static BsonDocument unescape(BsonDocument document) {
        var unescaped = new BsonDocument();
        document.forEach((key, member) -> unescaped.append(unescape(key), unescape(member)));
        return unescaped;
    }

    private static String unescape(String key) {
        return (key.startsWith(DOLLAR) ? key.substring(1) : key).replace(DOT, ".");
    }
}

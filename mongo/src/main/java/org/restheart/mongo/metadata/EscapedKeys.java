package org.restheart.mongo.metadata;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;

/// Escapes keys of stored pipelines and JSON Schemas, which earlier versions of MongoDB refused: `_$` for a leading
/// `$` and `::` for a dot.
public final class EscapedKeys {
    private static final String DOLLAR = "_$";
    private static final String DOT = "::";

    private EscapedKeys() {}

    /// A copy whose keys can be stored. Escaped keys are not changed.
    public static BsonValue escape(BsonValue value) {
        var escaped = BsonValues.copy(value, EscapedKeys::escape);
        return escaped instanceof BsonDocument document ? BsonValues.renamed(document, EscapedKeys::escape) : escaped;
    }

    private static String escape(String key) {
        return (key.startsWith("$") ? "_" + key : key).replace(".", DOT);
    }

    /// A copy with unescaped keys; string values that begin with `_$` lose the `_` too.
    public static BsonValue unescape(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> unescape(document);
            case BsonString text
            when text.getValue().startsWith(DOLLAR) ->
                new BsonString(text.getValue().substring(1));
            default -> BsonValues.copy(value, EscapedKeys::unescape);
        };
    }

    public static BsonDocument unescape(BsonDocument document) {
        return BsonValues.renamed(BsonValues.copy(document, (_, member) -> unescape(member)), EscapedKeys::unescape);
    }

    private static String unescape(String key) {
        return (key.startsWith(DOLLAR) ? key.substring(1) : key).replace(DOT, ".");
    }
}

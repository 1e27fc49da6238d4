package org.restheart.mcp;

import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.ShortText;

/// Inserts names of databases, collections and fields, which are stored data too, into messages of this server.
final class QuotedNames {
    private static final int MAX_LENGTH = 120;

    private QuotedNames() {}

    /// Shortened to a limit.
    static String cut(String name) {
        return ShortText.of(name, MAX_LENGTH);
    }

    /// As a JSON string.
    static String quoted(String name) {
        return json(cut(name));
    }

    static String json(String text) {
        return Fence.escaped(JsonEncoder.of(JsonMode.RELAXED).encodeToString(new BsonString(text)));
    }
}

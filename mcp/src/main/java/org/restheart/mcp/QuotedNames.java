package org.restheart.mcp;

import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// Inserts names of databases, collections and fields, which are stored data too, into messages of this server.
final class QuotedNames {
    private static final int MAX_LENGTH = 120;

    private QuotedNames() {}

    /// Shortened to a limit.
    static String cut(String name) {
        if (name.length() <= MAX_LENGTH) {
            return name;
        }
        int end = Character.isHighSurrogate(name.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
        return name.substring(0, end) + "…";
    }

    /// As a JSON string.
    static String quoted(String name) {
        return json(cut(name));
    }

    /// A text of any length as a JSON string.
    static String json(String text) {
        return Fence.escaped(JsonEncoder.of(JsonMode.RELAXED).encodeToString(new BsonString(text)));
    }
}

package org.restheart.mcp;

import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// Names of databases, collections and fields, which are stored data too, where they stand in what this server says.
final class Names {
    private static final int LONGEST = 120;

    private Names() {}

    /// No longer than a name needs to be.
    static String cut(String name) {
        if (name.length() <= LONGEST) {
            return name;
        }
        int end = Character.isHighSurrogate(name.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
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

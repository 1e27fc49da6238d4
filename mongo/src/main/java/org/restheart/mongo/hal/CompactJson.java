package org.restheart.mongo.hal;

import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// JSON in links: with single quotes and without blanks, so that it stays readable. Only characters that are special
/// in a query are percent-encoded.
final class CompactJson {
    private CompactJson() {}

    static String of(BsonValue value) {
        var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
        var out = new StringBuilder(json.length());
        boolean inString = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"') {
                inString = !inString;
                out.append('\'');
            } else if (!inString) {
                if (c != ' ') {
                    out.append(c);
                }
            } else if (c == '\\') {
                char escaped = json.charAt(++i);
                out.append(escaped == '"' ? "\"" : "\\" + escaped);
            } else {
                out.append(c == '\'' ? "\\" : "");
                append(out, c);
            }
        }
        return out.toString();
    }

    private static void append(StringBuilder out, char c) {
        switch (c) {
            case ' ' -> out.append("%20");
            case '%' -> out.append("%25");
            case '&' -> out.append("%26");
            case '#' -> out.append("%23");
            case '+' -> out.append("%2B");
            default -> out.append(c);
        }
    }
}

package org.restheart.bson;

import java.util.Arrays;
import java.util.LinkedHashMap;

/// Removes repeated names from a document: the last value is kept at the position of the first, as in a
/// `LinkedHashMap`.
final class Duplicates {
    private record Element(int from, int to) {}

    private Duplicates() {}

    /// @param start where the document begins that ends where the bytes end; it gets shorter if names repeat
    static void resolve(BsonBuffer out, int start) {
        byte[] source = Arrays.copyOfRange(out.bytes, start, out.length);
        var cursor = new RawCursor(source, 0);
        int end = cursor.enter(source.length);
        var elements = new LinkedHashMap<String, Element>();
        while (cursor.at < end) {
            int from = cursor.at++;
            String name = cursor.cstring(end);
            cursor.skip(source[from], end);
            elements.put(name, new Element(from, cursor.at));
        }
        out.length = start + 4;
        for (var element : elements.values()) {
            out.add(source, element.from, element.to);
        }
        out.add((byte) 0);
        out.fill(start, out.length - start);
    }
}

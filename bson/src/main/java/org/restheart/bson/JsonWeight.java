package org.restheart.bson;

/// Estimates how many bytes the objects take that are made of a JSON text when it is parsed and handled: many times its
/// length for `[{},{},…]`. Counts commas and opening brackets outside of strings in one pass, so that it can be called
/// before there are such objects.
public final class JsonWeight {
    /// An element of the outermost array, or a line: a view of its bytes, an id, a position, an outcome.
    private static final int DOCUMENT = 160;

    /// What follows the first member of the outermost document or array.
    private static final int MEMBER = 96;

    /// Each further bracket and comma: what it begins mostly remains bytes.
    private static final int INNER = 8;

    private JsonWeight() {}

    /// @return 0 for content that does not begin as a document or an array in JSON
    public static long of(byte[] utf8) {
        return sum(utf8, DOCUMENT, MEMBER, INNER);
    }

    /// Estimates how many values a tree of the text has: documents, arrays, and what follows them in each.
    ///
    /// @return 0 for content that does not begin as a document or an array in JSON
    public static long values(byte[] utf8) {
        return sum(utf8, 1, 1, 1);
    }

    private static long sum(byte[] utf8, int document, int member, int inner) {
        int i = 0;
        while (i < utf8.length && StrictJson.isBlank(utf8[i])) {
            i++;
        }
        if (i == utf8.length || (utf8[i] != '{' && utf8[i] != '[')) {
            return 0;
        }
        long weight = 0;
        int depth = 0;
        boolean isStrict = true;
        while (i < utf8.length) {
            switch (utf8[i]) {
                case '{', '[' -> {
                    weight += depth < 2 ? document : inner;
                    depth++;
                }
                case '}', ']' -> depth--;
                case ',' -> weight += depth < 2 ? member : inner;
                // The shell's dialect has other strings and regular expressions. It is rare, and must not hide
                // anything: everything counts from there on, also what is in strings.
                case '\'', '/' -> isStrict = false;
                case '"' -> i = isStrict ? endOfString(utf8, i) : i;
                default -> {}
            }
            i++;
        }
        return weight;
    }

    private static int endOfString(byte[] utf8, int quote) {
        int i = quote + 1;
        while (i < utf8.length && utf8[i] != '"') {
            i += utf8[i] == '\\' ? 2 : 1;
        }
        return i;
    }
}

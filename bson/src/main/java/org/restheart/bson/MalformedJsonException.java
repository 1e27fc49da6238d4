package org.restheart.bson;

/// A text that cannot become BSON. The message says why; it is safe to show to clients and repeats at most a few words
/// of the text. No stack trace: it reports invalid input, not a failure of code.
public final class MalformedJsonException extends RuntimeException {
    /// How much of the text a message may repeat, in characters.
    private static final int MAX_QUOTED = 40;

    private final boolean afterTheEnd;

    MalformedJsonException(String message) {
        this(message, false);
    }

    private MalformedJsonException(String message, boolean afterTheEnd) {
        super(message, null, false, false);
        this.afterTheEnd = afterTheEnd;
    }

    /// @param where added to the message
    static MalformedJsonException afterTheEnd(String where) {
        return new MalformedJsonException("There is more after the end of the value" + where, true);
    }

    /// Whether the text begins with a value, and something follows it.
    public boolean isAfterTheEnd() {
        return afterTheEnd;
    }

    /// @param message of another parser, which may quote the text without a bound
    /// @param where added to the message
    static MalformedJsonException quoting(String message, String where) {
        var quoted = shorten(shorten(message, '\''), '"');
        return new MalformedJsonException(quoted.codePoints()
                        .limit(4 * MAX_QUOTED)
                        .map(c -> Character.isISOControl(c) ? ' ' : c)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                + where);
    }

    private static String shorten(String message, char quote) {
        int first = message.indexOf(quote);
        int last = message.lastIndexOf(quote);
        return last - first <= MAX_QUOTED + 1
                ? message
                : message.substring(0, first + 1 + MAX_QUOTED) + "…" + message.substring(last);
    }
}

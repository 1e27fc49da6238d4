package org.restheart.perftest.listen;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Finds the two numbers in an event's JSON without parsing the rest of it.
public final class EventText {
    private static final byte[] NUMBER = "\"seq\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SENT = "\"sentAt\":".getBytes(StandardCharsets.US_ASCII);
    static final long ABSENT = -1;

    private EventText() {}

    /// The document whose insertion makes the event.
    ///
    /// @param sentAt [System#nanoTime()], which all processes of one machine share on Linux
    /// @param padding bytes that mean nothing
    public static String document(long number, long sentAt, int padding) {
        return "{\"seq\":" + number + ",\"sentAt\":" + sentAt
                + (padding == 0 ? "" : ",\"padding\":\"" + "x".repeat(padding) + "\"") + "}";
    }

    /// The event's number, or [#ABSENT].
    static long number(ByteBuffer text, int from, int to) {
        return longAfter(NUMBER, text, from, to);
    }

    /// When it was sent, or [#ABSENT].
    static long sentAt(ByteBuffer text, int from, int to) {
        return longAfter(SENT, text, from, to);
    }

    private static long longAfter(byte[] name, ByteBuffer text, int from, int to) {
        for (int i = from, last = to - name.length; i <= last; i++) {
            if (text.get(i) == '"' && matches(name, text, i)) {
                return decimal(text, i + name.length, to);
            }
        }
        return ABSENT;
    }

    private static boolean matches(byte[] name, ByteBuffer text, int at) {
        for (var i = 1; i < name.length; i++) {
            if (text.get(at + i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    private static long decimal(ByteBuffer text, int from, int to) {
        long value = 0;
        var digits = 0;
        for (var i = from; i < to; i++) {
            var digit = text.get(i) - '0';
            if (digit >= 0 && digit <= 9) {
                value = value * 10 + digit;
                digits++;
            } else if (digits > 0 || text.get(i) != ' ') {
                break;
            }
        }
        return digits == 0 ? ABSENT : value;
    }
}

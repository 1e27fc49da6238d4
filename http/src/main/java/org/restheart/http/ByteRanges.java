package org.restheart.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Parses the `Range` field (RFC 9110, 14).
public final class ByteRanges {
    /// A field with more ranges is ignored, as RFC 9110, 14.2 allows.
    private static final int MAX = 16;

    private static final Pattern RANGE = Pattern.compile("(\\d{0,18})\\s*-\\s*(\\d{0,18})");

    /// A range of bytes.
    ///
    /// @param to the index after the last byte
    public record Slice(long from, long to) {
        public long length() {
            return to - from;
        }
    }

    private ByteRanges() {}

    /// The requested ranges, in the client's order.
    ///
    /// @return empty if the field must be ignored and the whole representation is sent; an empty list if no range
    ///     can be satisfied, which is answered with 416
    public static Optional<List<Slice>> of(String header, long length) {
        if (!header.regionMatches(true, 0, "bytes=", 0, 6)) {
            return Optional.empty();
        }
        var specified = header.substring(6).split(",", -1);
        if (specified.length > MAX) {
            return Optional.empty();
        }
        var slices = new ArrayList<Slice>();
        long total = 0;
        for (var text : specified) {
            var range = RANGE.matcher(text.strip());
            if (!range.matches() || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
                return Optional.empty();
            }
            boolean suffix = range.group(1).isEmpty();
            long first = suffix ? Math.max(0, length - Long.parseLong(range.group(2))) : Long.parseLong(range.group(1));
            long last = suffix || range.group(2).isEmpty() ? length - 1 : Long.parseLong(range.group(2));
            if (!suffix && last < first && !range.group(2).isEmpty()) {
                return Optional.empty();
            }
            if (first < length) {
                slices.add(new Slice(first, Math.min(last, length - 1) + 1));
                total += slices.getLast().length();
            }
        }
        return slices.size() > 1 && total > length ? Optional.empty() : Optional.of(slices);
    }
}

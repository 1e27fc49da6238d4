package org.restheart.http;

import java.util.ArrayList;
import java.util.List;

/// The path of a request, decoded once. Router, access rules and handlers use this value, so that all interpret a
/// path in the same way. Immutable.
///
/// Path parameters (`;name=value`) are removed. Nothing else is normalized: `.` and `..` are ordinary names.
///
/// @param raw as sent, without the query
/// @param decoded percent-decoded, except that an encoded slash stays `%2F`; what access rules match
/// @param segments decoded completely; trailing slashes are ignored, inner empty segments are kept
public record RequestPath(String raw, String decoded, List<String> segments) {
    /// Each takes many times the memory of the two characters that it may consist of.
    private static final int MAX_SEGMENTS = 100;

    /// @throws ProblemException 400 on malformed percent-encoding and on more than 100 segments
    public static RequestPath parse(String raw) {
        if (!raw.startsWith("/")) {
            throw new ProblemException(ProblemCode.BAD_REQUEST, "the path does not start with /");
        }
        var segments = new ArrayList<String>();
        var decoded = new StringBuilder(raw.length());
        for (int start = 1; start <= raw.length(); ) {
            if (segments.size() == MAX_SEGMENTS) {
                throw new ProblemException(
                        ProblemCode.BAD_REQUEST, "the path has more than " + MAX_SEGMENTS + " segments");
            }
            int slash = raw.indexOf('/', start);
            int end = slash < 0 ? raw.length() : slash;
            var segment = PercentCoding.decode(withoutParameters(raw.substring(start, end)), false);
            segments.add(segment);
            decoded.append('/').append(segment.indexOf('/') < 0 ? segment : segment.replace("/", "%2F"));
            start = end + 1;
        }
        while (!segments.isEmpty() && segments.getLast().isEmpty()) {
            segments.removeLast();
        }
        return new RequestPath(raw, decoded.toString(), List.copyOf(segments));
    }

    /// The path whose decoded segments these are.
    public static RequestPath of(List<String> segments) {
        var raw = new StringBuilder();
        segments.forEach(segment -> raw.append('/').append(PercentCoding.encode(segment, "")));
        return parse(raw.isEmpty() ? "/" : raw.toString());
    }

    /// Whether a path, by its segments, is the one of the prefix or below it.
    public static boolean startsWith(List<String> path, List<String> prefix) {
        return path.size() >= prefix.size() && path.subList(0, prefix.size()).equals(prefix);
    }

    private static String withoutParameters(String segment) {
        int semicolon = segment.indexOf(';');
        return semicolon < 0 ? segment : segment.substring(0, semicolon);
    }
}

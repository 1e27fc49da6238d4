package org.restheart.core.noninterference;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.RawBsonDocument;
import org.restheart.testkit.wire.WireResponse;

/// A response normalized for comparison: without times and the database's name; generated ids are numbered in order of
/// appearance.
///
/// @param tag the entity tag, or that of an earlier response
/// @param after the bookmark of the next page, or that of an earlier response
/// @param ends whether the server closes the connection after it
record ObservedResponse(String text, String tag, String after, boolean ends) {
    static final ObservedResponse NONE = new ObservedResponse("", "none", "none", false);
    private static final Pattern NEXT = Pattern.compile("after=([^&>]+)");
    private static final Pattern REQUEST = Pattern.compile("\\brequest [0-9a-z]+-[0-9a-z]+\\b");

    /// The tag of a list is a digest of its content, which is compared itself, without what is generated.
    private static final Pattern DIGEST = Pattern.compile("(W/\\\\?\"(?:[^\"]*\\.)?)[\\w-]{22}(?=\\\\?\")");

    private static final Pattern GENERATED =
            Pattern.compile("[0-9a-f]{24}|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z|\\b1[789]\\d{8}(?:\\d{3})?\\b");

    static ObservedResponse of(WireResponse response, String database, ObservedResponse last) {
        var head = response.headers().stream()
                .filter(h -> !h.name().equalsIgnoreCase("Date") && !h.name().equalsIgnoreCase("Content-Length"))
                .map(h -> h.name().toLowerCase(Locale.ROOT) + ": " + h.value())
                .sorted()
                .collect(Collectors.joining("\n"));
        var content =
                REQUEST.matcher(content(response).replace(database, "$DB")).replaceAll("request <number>");
        var text = response.status() + "\n" + normalized(head + "\n\n" + content);
        var closes = response.header("Connection").filter("close"::equalsIgnoreCase);
        var next = NEXT.matcher(response.header("Link").orElse(""));
        return new ObservedResponse(
                numbered(text),
                response.header("ETag").orElse(last.tag()),
                next.find() ? next.group(1) : last.after(),
                closes.isPresent());
    }

    /// Responses in the content, those of a transaction, have headers too.
    private static String normalized(String text) {
        return DIGEST.matcher(NEXT.matcher(text).replaceAll(ObservedResponse::decoded))
                .replaceAll("$1<digest>");
    }

    private static String decoded(MatchResult link) {
        return Matcher.quoteReplacement(
                "after=" + new String(Base64.getUrlDecoder().decode(link.group(1)), StandardCharsets.UTF_8));
    }

    private static String content(WireResponse response) {
        if (response.header("Content-Type").filter("application/bson"::equals).isEmpty()) {
            return response.text();
        }
        var bytes = ByteBuffer.wrap(response.body()).order(ByteOrder.LITTLE_ENDIAN);
        var lines = new StringBuilder();
        while (bytes.hasRemaining()) {
            int length = bytes.getInt(bytes.position());
            lines.append(new RawBsonDocument(bytes.array(), bytes.position(), length).toJson())
                    .append('\n');
            bytes.position(bytes.position() + length);
        }
        return lines.toString();
    }

    private static String numbered(String text) {
        Map<String, String> names = new HashMap<>();
        return GENERATED.matcher(text).replaceAll(found -> {
            var value = found.group();
            if (value.indexOf('-') > 0 || value.length() < 24) {
                return "<time>";
            }
            return names.computeIfAbsent(value, _ -> "<id " + names.size() + ">");
        });
    }

    int status() {
        return Integer.parseInt(text.substring(0, 3));
    }
}

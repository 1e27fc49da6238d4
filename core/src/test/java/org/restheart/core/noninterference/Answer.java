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

/// What a client sees of an answer, without what differs by chance: times, the database's name, and values that the
/// server
/// makes up, which become their place in the order of appearance.
///
/// @param tag the entity tag, or that of an earlier answer
/// @param after the bookmark of the next page, or that of an earlier answer
/// @param ends whether the connection ends with it
record Answer(String text, String tag, String after, boolean ends) {
    static final Answer NONE = new Answer("", "none", "none", false);
    private static final Pattern NEXT = Pattern.compile("after=([^&>]+)");
    private static final Pattern MADE_UP =
            Pattern.compile("[0-9a-f]{24}|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z|\\b1[789]\\d{8}(?:\\d{3})?\\b");

    static Answer of(WireResponse response, String database, Answer last) {
        var head = response.headers().stream()
                .filter(h -> !h.name().equalsIgnoreCase("Date") && !h.name().equalsIgnoreCase("Content-Length"))
                .map(h -> h.name().toLowerCase(Locale.ROOT) + ": " + h.value())
                .sorted()
                .collect(Collectors.joining("\n"));
        var text = response.status() + "\n" + NEXT.matcher(head).replaceAll(Answer::decoded) + "\n\n"
                + content(response).replace(database, "$DB");
        var closes = response.header("Connection").filter("close"::equalsIgnoreCase);
        var next = NEXT.matcher(response.header("Link").orElse(""));
        return new Answer(
                named(text),
                response.header("ETag").orElse(last.tag()),
                next.find() ? next.group(1) : last.after(),
                closes.isPresent());
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

    private static String named(String text) {
        Map<String, String> names = new HashMap<>();
        return MADE_UP.matcher(text).replaceAll(found -> {
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

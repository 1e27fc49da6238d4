package org.restheart.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The value of `If-Match`, `If-None-Match` or `If-Range` (RFC 9110, 13.1). Tags may be sent without quotes, as this
/// API writes those of documents. Immutable.
///
/// @param strong the tags that a strong comparison accepts, without quotes; also as sent, since a stored tag may have
///     quotes or commas of its own
/// @param weak the tags that a weak comparison accepts: the strong ones, and those with `W/`
public record EntityTagList(String text, boolean isAny, Set<String> strong, Set<String> weak) {

    /// Several lines are one list. Empty if there is no such header.
    public static Optional<EntityTagList> of(Headers headers, String name) {
        var lines = headers.all(name);
        return lines.isEmpty() ? Optional.empty() : Optional.of(parse(String.join(", ", lines)));
    }

    public static EntityTagList parse(String sent) {
        var text = utf8(sent);
        var strong = new LinkedHashSet<String>();
        var weak = new LinkedHashSet<String>();
        strong.add(text);
        boolean any = false;
        for (int at = 0; at < text.length(); ) {
            int end = end(text, at);
            var element = text.substring(at, end).strip();
            any |= element.equals("*");
            if (element.startsWith("W/")) {
                weak.add(unquoted(element.substring(2)));
            } else if (!element.isEmpty()) {
                strong.add(element);
                strong.add(unquoted(element));
            }
            at = end + 1;
        }
        weak.addAll(strong);
        return new EntityTagList(text, any, Set.copyOf(strong), Set.copyOf(weak));
    }

    /// Where the element that begins here ends: at a comma outside of quotes.
    private static int end(String text, int from) {
        boolean quoted = false;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                return i;
            }
        }
        return text.length();
    }

    private static String unquoted(String tag) {
        return tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"")
                ? tag.substring(1, tag.length() - 1)
                : tag;
    }

    /// Tags are sent as UTF-8, of which each byte arrives as a character. Clients that send something else mean the
    /// characters.
    private static String utf8(String text) {
        if (text.chars().allMatch(c -> c < 0x80)) {
            return text;
        }
        try {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException _) {
            return text;
        }
    }

    public EntityTagList withStrong(Collection<String> more) {
        var all = new LinkedHashSet<>(strong);
        all.addAll(more);
        return new EntityTagList(text, isAny, Set.copyOf(all), weak);
    }

    /// Whether `If-None-Match` names the representation, so that the client's copy is current (13.1.2).
    ///
    /// @param tag without quotes; null if the representation has none
    public boolean isCurrent(@Nullable String tag) {
        return isAny || (tag != null && weak.contains(tag));
    }
}

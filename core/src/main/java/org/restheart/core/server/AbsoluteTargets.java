package org.restheart.core.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/// Requests whose target is a whole URI (RFC 9112, 3.2.2): its host counts, whatever the header `Host` says. Undertow
/// refuses those whose two hosts differ, so such a target is replaced by its path before Undertow reads it.
final class AbsoluteTargets {
    private static final Pattern HEAD = Pattern.compile(
            "([!-~]{1,20} )(https?://([A-Za-z0-9.\\-_]+(?::\\d{1,5})?|\\[[0-9A-Fa-f:.]+](?::\\d{1,5})?))([/? ])",
            Pattern.CASE_INSENSITIVE);

    /// Longer names are none (RFC 1035, 2.3.4).
    private static final int LONGEST = 20 + 8 + 255 + 8;

    private AbsoluteTargets() {}

    /// Removes scheme and host of the target at the beginning of a head, if they have arrived as a whole.
    ///
    /// @param head what has arrived; its limit becomes less
    /// @return the host
    static Optional<String> reduce(ByteBuffer head) {
        if (!mayBe(head)) {
            return Optional.empty();
        }
        var bytes = new byte[Math.min(head.remaining(), LONGEST)];
        head.get(head.position(), bytes);
        var parts = HEAD.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!parts.lookingAt()) {
            return Optional.empty();
        }
        var path = parts.group(4).equals("/") ? "" : "/";
        var kept = (parts.group(1) + path).getBytes(StandardCharsets.ISO_8859_1);
        int removed = parts.end(2) - kept.length;
        int from = head.position();
        head.put(from, kept);
        head.put(from + kept.length, head.duplicate(), from + parts.end(2), head.remaining() - parts.end(2));
        head.limit(head.limit() - removed);
        return Optional.of(parts.group(3));
    }

    /// A fast check: most targets begin with a slash.
    private static boolean mayBe(ByteBuffer head) {
        int at = head.position();
        while (at < head.limit() && at < head.position() + 20 && head.get(at) != ' ') {
            at++;
        }
        return at + 1 < head.limit() && (head.get(at + 1) | 0x20) == 'h';
    }
}

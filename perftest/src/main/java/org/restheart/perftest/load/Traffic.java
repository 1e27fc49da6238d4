package org.restheart.perftest.load;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.charset.StandardCharsets;

/// The requests of a load: all alike but for one place in the target. Immutable.
///
/// @param before the request's bytes up to that place, from the request line on
/// @param after the rest, body included
/// @param slot what stands in the place
public record Traffic(String before, String after, Slot slot) {

    /// What changes from request to request.
    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    public sealed interface Slot {
        record Nothing() implements Slot {}

        /// The hexadecimal form of an id of [DocumentIds], uniformly random below `count`.
        record RandomId(int count) implements Slot {}

        /// Uniformly random from `from` to `to`, exclusive.
        record RandomNumber(long from, long to) implements Slot {}

        /// `from`, `from + step` … over all connections.
        record GrowingNumber(long from, long step) implements Slot {}
    }

    /// A request with the given parts.
    ///
    /// @param target path and query; a `{}` in it is the place of the slot
    /// @param fields header lines without line ends, such as `Authorization: …`
    /// @param body sent with its Content-Length when not empty
    public static Traffic of(String method, String target, Iterable<String> fields, String body, Slot slot) {
        var text = new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        fields.forEach(field -> text.append(field).append("\r\n"));
        if (!body.isEmpty()) {
            text.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        }
        text.append("\r\n").append(body);
        var place = target.indexOf("{}");
        if (place < 0) {
            return new Traffic(text.toString(), "", new Slot.Nothing());
        }
        var at = method.length() + 1 + place;
        return new Traffic(text.substring(0, at), text.substring(at + 2), slot);
    }
}

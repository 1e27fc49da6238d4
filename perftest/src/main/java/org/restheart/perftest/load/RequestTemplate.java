package org.restheart.perftest.load;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.restheart.perftest.workload.Documents;

/// The requests of a load: all alike but for one place in the target, or for an id in the body, marked by `{}`.
/// Immutable.
///
/// @param target path and query
/// @param fields header lines without their ends, such as `Authorization: …`
/// @param body sent as JSON with its length when not empty
/// @param slot what stands in the place
public record RequestTemplate(String method, String target, List<String> fields, String body, Slot slot) {
    private static final String PLACE = "{}";
    private static final String FIRST_ID = Documents.id(0).toHexString();

    /// What changes from request to request.
    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    public sealed interface Slot {
        record Nothing() implements Slot {}

        /// The hexadecimal form of an id of [Documents], uniformly random below `count`.
        record RandomId(int count) implements Slot {}

        /// Uniformly random from `from` to `to`, exclusive.
        record RandomNumber(long from, long to) implements Slot {}

        /// `from`, `from + step` … over all connections.
        record GrowingNumber(long from, long step) implements Slot {}
    }

    public RequestTemplate {
        boolean placed =
                target.contains(PLACE) || (slot instanceof Slot.RandomId && body.contains(PLACE)); // of one length
        if (!(slot instanceof Slot.Nothing) && !placed) {
            throw new IllegalArgumentException("no " + PLACE + " in the target " + target);
        }
        boolean isInBody = slot instanceof Slot.RandomId && !target.contains(PLACE);
        fields = withContentFields(List.copyOf(fields), isInBody ? body.replace(PLACE, FIRST_ID) : body);
    }

    private static List<String> withContentFields(List<String> fields, String body) {
        if (body.isEmpty() || fields.stream().anyMatch(field -> field.startsWith("Content-Length:"))) {
            return fields;
        }
        var all = new ArrayList<>(fields);
        all.add("Content-Type: application/json");
        all.add("Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length);
        return List.copyOf(all);
    }

    /// The target of a first request.
    public String sampleTarget() {
        return switch (slot) {
            case Slot.Nothing() -> target;
            case Slot.RandomId _ -> target.replace(PLACE, FIRST_ID);
            case Slot.RandomNumber(var from, var _) -> target.replace(PLACE, Long.toString(from));
            case Slot.GrowingNumber(var from, var _) -> target.replace(PLACE, Long.toString(from));
        };
    }

    public String sampleBody() {
        return slot instanceof Slot.RandomId && !target.contains(PLACE) ? body.replace(PLACE, FIRST_ID) : body;
    }

    /// The request's bytes up to the place.
    String before() {
        return slot instanceof Slot.Nothing ? text() : text().substring(0, place());
    }

    String after() {
        return slot instanceof Slot.Nothing ? "" : text().substring(place() + PLACE.length());
    }

    private int place() {
        return target.contains(PLACE)
                ? method.length() + 1 + target.indexOf(PLACE)
                : text().length() - body.length() + body.indexOf(PLACE);
    }

    private String text() {
        return method + " " + target + " HTTP/1.1\r\n" + String.join("\r\n", fields) + "\r\n\r\n" + body;
    }
}

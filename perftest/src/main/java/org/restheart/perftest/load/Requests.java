package org.restheart.perftest.load;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Requests that are alike but for one place in target or body, marked by `{}`. Immutable.
///
/// @param fields header lines without their ends, such as `Authorization: …`
/// @param body sent as JSON when not empty
/// @param values what stands in the place, one chosen at random for each request; none if there is no place. Those of a
/// body are equally long
/// @param weight how often these are sent among others
public record Requests(
        String method, String target, List<String> fields, String body, List<String> values, int weight) {

    static final String PLACE = "{}";

    public Requests {
        boolean placed = (target + body).contains(PLACE);
        if (!values.isEmpty() && !placed) {
            throw new IllegalArgumentException("no " + PLACE + " in " + target);
        }
        fields = List.copyOf(fields);
        values = List.copyOf(values);
    }

    /// The same each time.
    public static Requests get(String target, List<String> fields) {
        return new Requests("GET", target, fields, "", List.of(), 1);
    }

    public Requests times(int weight) {
        return new Requests(method, target, fields, body, values, weight);
    }

    public String firstTarget() {
        return filled(target);
    }

    public String firstBody() {
        return filled(body);
    }

    private String filled(String text) {
        return values.isEmpty() ? text : text.replace(PLACE, values.getFirst());
    }

    /// Head and body as they are sent, cut at the place; one part if there is none.
    List<String> parts() {
        var head = new ArrayList<>(List.of(method + " " + target + " HTTP/1.1"));
        head.addAll(fields);
        if (!body.isEmpty()) {
            head.add("Content-Type: application/json");
            head.add("Content-Length: " + firstBody().getBytes(StandardCharsets.UTF_8).length);
        }
        var text = String.join("\r\n", head) + "\r\n\r\n" + body;
        int place = values.isEmpty() ? -1 : text.indexOf(PLACE);
        return place < 0 ? List.of(text) : List.of(text.substring(0, place), text.substring(place + PLACE.length()));
    }
}

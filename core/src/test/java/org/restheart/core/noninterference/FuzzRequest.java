package org.restheart.core.noninterference;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.restheart.testkit.wire.WireRequest;

/// A request to both instances, in parts that can be shrunk separately. `$DB` in its text stands for the instance's
/// database, `$TAG` and `$AFTER` for the entity tag and the bookmark of its last response that had one.
///
/// @param parameters in this order; values are BSON or text
/// @param body BSON or text; empty text for none
record FuzzRequest(String method, String path, List<Part> parameters, List<Part> headers, Object body) {
    private static final JsonWriterSettings JSON =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    /// A query parameter or a header.
    record Part(String name, Object value) {}

    static FuzzRequest of(String method, String path) {
        return new FuzzRequest(method, path, List.of(), List.of(), "");
    }

    FuzzRequest with(String name, Object value) {
        return new FuzzRequest(method, path, added(parameters, new Part(name, value)), headers, body);
    }

    FuzzRequest withHeader(String name, String value) {
        return new FuzzRequest(method, path, parameters, added(headers, new Part(name, value)), body);
    }

    FuzzRequest withBody(Object body) {
        return new FuzzRequest(method, path, parameters, headers, body);
    }

    private static <T> List<T> added(List<T> list, T element) {
        return Stream.concat(list.stream(), Stream.of(element)).toList();
    }

    boolean isRead() {
        return method.equals("GET");
    }

    static String text(Object value) {
        if (!(value instanceof BsonValue bson)) {
            return value.toString();
        }
        var wrapped = new BsonDocument("v", bson).toJson(JSON);
        return wrapped.substring(wrapped.indexOf(':') + 1, wrapped.length() - 1).strip();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%24DB", "$DB")
                .replace("%24AFTER", "$AFTER");
    }

    String target() {
        var query = parameters.stream()
                .map(p -> text(p.value()).isEmpty() ? p.name() : p.name() + "=" + encoded(text(p.value())))
                .collect(Collectors.joining("&"));
        return query.isEmpty() ? path : path + "?" + query;
    }

    /// @param standing headers that every request has
    WireRequest toWire(String database, ObservedResponse last, List<Part> standing) {
        var request =
                WireRequest.of(method + " " + target().replace("$DB", database).replace("$AFTER", last.after()));
        for (var header : Stream.concat(standing.stream(), headers.stream()).toList()) {
            request = request.with(header.name(), header.value().toString().replace("$TAG", last.tag()));
        }
        return request.withBody(text(body).replace("$DB", database));
    }

    /// A shell command that sends it.
    String toCurl(String user) {
        var lines = new StringBuilder("curl -i -X ").append(method);
        if (!user.isEmpty()) {
            lines.append(" -u ").append(user).append(":pw");
        }
        headers.forEach(h -> lines.append(" -H '")
                .append(h.name())
                .append(": ")
                .append(h.value())
                .append("'"));
        lines.append(" \"$HOST").append(path).append('"');
        if (!parameters.isEmpty()) {
            lines.append(" -G");
        }
        parameters.forEach(p -> lines.append(" \\\n    --data-urlencode '")
                .append(p.name())
                .append('=')
                .append(text(p.value()).replace("'", "'\\''"))
                .append("'"));
        if (!text(body).isEmpty()) {
            lines.append(" \\\n    -d '")
                    .append(text(body).replace("'", "'\\''"))
                    .append("'");
        }
        return lines.toString();
    }

    /// Requests with one part less, the smallest first.
    List<FuzzRequest> shrunk() {
        var all = new ArrayList<FuzzRequest>();
        for (int i = 0; i < parameters.size(); i++) {
            all.add(new FuzzRequest(method, path, without(parameters, i), headers, body));
        }
        for (int i = 0; i < headers.size(); i++) {
            all.add(new FuzzRequest(method, path, parameters, without(headers, i), body));
        }
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).value() instanceof BsonValue value) {
                for (var less : Shrinker.shrink(value)) {
                    var changed = new ArrayList<>(parameters);
                    changed.set(i, new Part(parameters.get(i).name(), less));
                    all.add(new FuzzRequest(method, path, List.copyOf(changed), headers, body));
                }
            }
        }
        if (body instanceof BsonValue value) {
            Shrinker.shrink(value).forEach(less -> all.add(withBody(less)));
        }
        return all;
    }

    private static <T> List<T> without(List<T> list, int index) {
        var rest = new ArrayList<>(list);
        rest.remove(index);
        return List.copyOf(rest);
    }
}

package org.restheart.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The parameters of a query string, decoded once: percent-encoding, and `+` as a space. Order and repetition are
/// kept. Immutable.
public final class Query {
    public static final Query NONE = new Query("", Map.of());

    /// In a query string (RFC 3986, 3.4), besides unreserved characters.
    private static final String NEED_NO_ENCODING = "!$'()*,/:;?@";

    private @Nullable String raw;
    private final Map<String, List<String>> parameters;

    private Query(@Nullable String raw, Map<String, List<String>> parameters) {
        this.raw = raw;
        this.parameters = parameters;
    }

    /// Parses a query string. Empty parameters, as in `a=1&&b=2`, are ignored.
    ///
    /// @param raw without the `?`
    /// @throws ProblemException 400 for more parameters or malformed percent-encoding
    public static Query parse(String raw, int maxParameters) {
        if (raw.isEmpty()) {
            return NONE;
        }
        var parameters = new LinkedHashMap<String, List<String>>();
        int count = 0;
        for (int start = 0; start <= raw.length(); ) {
            int ampersand = raw.indexOf('&', start);
            int end = ampersand < 0 ? raw.length() : ampersand;
            if (end > start) {
                if (++count > maxParameters) {
                    throw new ProblemException(
                            ProblemCode.BAD_REQUEST, "more than " + maxParameters + " query parameters");
                }
                int equals = raw.indexOf('=', start);
                boolean hasValue = equals >= 0 && equals < end;
                var name = PercentCoding.decode(raw.substring(start, hasValue ? equals : end), true);
                var value = hasValue ? PercentCoding.decode(raw.substring(equals + 1, end), true) : "";
                parameters.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(value);
            }
            start = end + 1;
        }
        return new Query(raw, Collections.unmodifiableMap(parameters));
    }

    public static Query of(Map<String, String> parameters) {
        if (parameters.isEmpty()) {
            return NONE;
        }
        var lists = new LinkedHashMap<String, List<String>>();
        parameters.forEach((name, value) -> lists.put(name, List.of(value)));
        return new Query(null, Collections.unmodifiableMap(lists));
    }

    /// As sent, without the `?`; empty if there was none.
    public String raw() {
        if (raw == null) { // built lazily for judged requests; a race between two threads gives equal values
            var text = new StringBuilder();
            parameters.forEach((name, values) -> values.forEach(value -> text.append(text.isEmpty() ? "" : "&")
                    .append(PercentCoding.encode(name, ""))
                    .append('=')
                    .append(PercentCoding.encode(value, ""))));
            raw = text.toString();
        }
        return raw;
    }

    /// The query string in each usual spelling: decoded, with no needless percent-encoding, and with all of it.
    public List<String> spellings() {
        return Stream.<UnaryOperator<String>>of(
                        text -> text,
                        text -> PercentCoding.encode(text, NEED_NO_ENCODING),
                        text -> PercentCoding.encode(text, ""))
                .map(this::spelled)
                .distinct()
                .toList();
    }

    private String spelled(UnaryOperator<String> coding) {
        return Arrays.stream(raw().split("&"))
                .filter(parameter -> !parameter.isEmpty())
                .map(parameter -> Arrays.stream(parameter.split("=", 2))
                        .map(part -> coding.apply(PercentCoding.decode(part, true)))
                        .collect(Collectors.joining("=")))
                .collect(Collectors.joining("&"));
    }

    public boolean has(String name) {
        return parameters.containsKey(name);
    }

    /// The first value; empty text for a parameter sent without one.
    public Optional<String> first(String name) {
        var values = parameters.get(name);
        return values == null ? Optional.empty() : Optional.of(values.getFirst());
    }

    public List<String> all(String name) {
        return parameters.getOrDefault(name, List.of());
    }

    public Set<String> names() {
        return parameters.keySet();
    }
}

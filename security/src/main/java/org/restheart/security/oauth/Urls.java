package org.restheart.security.oauth;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.restheart.http.Query;

/// Adds parameters to URLs.
final class Urls {
    private Urls() {}

    /// @param namesAndValues name, value, name, value …
    static String with(String url, String... namesAndValues) {
        var pairs = new ArrayList<String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            pairs.add(encode(namesAndValues[i]) + "=" + encode(namesAndValues[i + 1]));
        }
        return with(url, pairs);
    }

    /// With all parameters of a query, encoded anew and sorted by name.
    static String with(String url, Query query) {
        var pairs = new ArrayList<String>();
        query.names().stream()
                .sorted()
                .forEach(name -> query.all(name).forEach(value -> pairs.add(encode(name) + "=" + encode(value))));
        return with(url, pairs);
    }

    private static String with(String url, List<String> pairs) {
        return pairs.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + String.join("&", pairs);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}

package org.restheart.http;

import java.util.LinkedHashSet;
import java.util.List;

/// The CORS headers of a service (Fetch standard, 3.2), lists separated by `, `.
public record Cors(String allowMethods, String allowHeaders, String exposeHeaders) {
    public static final String DEFAULT_HEADERS = "Authorization, Content-Type, X-Requested-With, No-Auth-Challenge";
    public static final Cors DEFAULT = new Cors("GET, PUT, POST, PATCH, DELETE", DEFAULT_HEADERS, "");

    /// The `Allow` field of a `405`: the methods, `OPTIONS`, and `HEAD` if there is `GET`.
    public String allow() {
        return allow(allowMethods);
    }

    static String allow(String allowMethods) {
        var methods = new LinkedHashSet<>(List.of(allowMethods.split(", ", -1)));
        methods.remove("");
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        methods.add("OPTIONS");
        return String.join(", ", methods);
    }
}

package org.restheart.http;

import java.util.Locale;

/// How the content of a response may be coded for transfer (RFC 9110, 8.4.1).
public enum ContentCoding {
    GZIP,
    DEFLATE,
    IDENTITY;

    /// The preferred coding that the client accepts: gzip, then deflate, whatever their weights. A coding
    /// with the weight 0 is not accepted.
    public static ContentCoding accepted(Headers headers) {
        var weights = Accepted.weights(headers, "Accept-Encoding");
        return weights.getOrDefault("gzip", 0.0) > 0 || weights.getOrDefault("x-gzip", 0.0) > 0
                ? GZIP
                : weights.getOrDefault("deflate", 0.0) > 0 ? DEFLATE : IDENTITY;
    }

    public String token() {
        return name().toLowerCase(Locale.ROOT);
    }
}

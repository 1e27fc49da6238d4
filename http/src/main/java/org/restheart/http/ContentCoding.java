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
        var best = IDENTITY;
        for (var line : headers.all("Accept-Encoding")) {
            for (var item : line.split(",", -1)) {
                var coding = named(item);
                if (coding.compareTo(best) < 0) {
                    best = coding;
                }
            }
        }
        return best;
    }

    private static ContentCoding named(String item) {
        int semicolon = item.indexOf(';');
        var name = (semicolon < 0 ? item : item.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
        if (semicolon >= 0 && isZero(item.substring(semicolon + 1))) {
            return IDENTITY;
        }
        return switch (name) {
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default -> IDENTITY;
        };
    }

    /// `q=0`, `q=0.0` … (RFC 9110, 12.4.2).
    private static boolean isZero(String parameters) {
        var weight = parameters.replace(" ", "").toLowerCase(Locale.ROOT);
        return weight.matches("q=0(\\.0{0,3})?");
    }

    public String token() {
        return name().toLowerCase(Locale.ROOT);
    }
}

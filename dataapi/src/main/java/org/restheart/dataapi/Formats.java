package org.restheart.dataapi;

import org.restheart.http.Headers;

/// The response format that a client requests.
final class Formats {
    private static final String PLAIN = "application/json";
    private static final String CANONICAL = "application/ejson";

    private Formats() {}

    /// @param otherwise for clients that accept neither by name
    static boolean isCanonical(Headers headers, boolean otherwise) {
        double best = 0;
        boolean canonical = otherwise;
        for (var line : headers.all("Accept")) {
            for (var range : line.split(",", 64)) {
                var parts = range.split(";", 16);
                var type = parts[0].strip();
                boolean isCanonical = type.equalsIgnoreCase(CANONICAL);
                double weight = weight(parts);
                if ((isCanonical || type.equalsIgnoreCase(PLAIN)) && weight > best) {
                    best = weight;
                    canonical = isCanonical;
                }
            }
        }
        return canonical;
    }

    private static double weight(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            var parameter = parts[i].strip();
            if (parameter.regionMatches(true, 0, "q=", 0, 2)) {
                try {
                    return Double.parseDouble(parameter.substring(2));
                } catch (NumberFormatException _) {
                    return 0;
                }
            }
        }
        return 1;
    }

    static String type(boolean canonical) {
        return canonical ? CANONICAL : PLAIN;
    }
}

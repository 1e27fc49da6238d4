package org.restheart.core.service;

import java.net.URLConnection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Media types by the extension of a file's name.
final class MediaTypesByName {
    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("htm", "text/html; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("map", "application/json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("webp", "image/webp"),
            Map.entry("avif", "image/avif"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff", "font/woff"),
            Map.entry("woff2", "font/woff2"),
            Map.entry("wasm", "application/wasm"),
            Map.entry("md", "text/markdown; charset=utf-8"),
            Map.entry("txt", "text/plain; charset=utf-8"));

    private MediaTypesByName() {}

    static String of(String name) {
        var extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        var known = KNOWN.get(extension);
        return known != null
                ? known
                : Optional.ofNullable(URLConnection.guessContentTypeFromName(name))
                        .orElse("application/octet-stream");
    }
}

package org.restheart.core.server;

import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import java.util.concurrent.ConcurrentHashMap;

/// The names of headers as Undertow has them: hashed and encoded once, not with every request.
final class HeaderNames {
    /// More than the gateway itself reads and sends; bounds names from other sources.
    private static final int REMEMBERED = 256;

    private static final ConcurrentHashMap<String, HttpString> NAMES = new ConcurrentHashMap<>();

    private HeaderNames() {}

    static HttpString of(String name) {
        var known = NAMES.get(name);
        if (known != null) {
            return known;
        }
        var common = Headers.fromCache(name);
        var made = common == null ? new HttpString(name) : common;
        if (NAMES.size() < REMEMBERED) {
            NAMES.put(name, made);
        }
        return made;
    }
}

package org.restheart.http;

import java.util.Locale;
import org.restheart.http.attribute.Key;

/// The kind of a service's requests for metrics: requests of the API are measured by path, others together.
public enum Traffic {
    /// Requests of data, and all others that are not named below.
    API,
    FILES,
    /// Requests that are forwarded to another server.
    PROXY;

    /// The attribute of requests; absent for [#API].
    public static final Key<Traffic> KEY = Key.named("traffic");

    /// The value of the metrics' label.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

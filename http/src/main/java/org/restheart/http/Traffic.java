package org.restheart.http;

import java.util.Locale;
import org.restheart.http.attribute.Key;

/// What requests of a service are, for metrics: those of the API are measured by path.
public enum Traffic {
    /// Data, and what belongs to it.
    API,
    /// Files that are public.
    FILES,
    /// Requests that another server answers.
    PROXY;

    /// Of a request; absent for [#API].
    public static final Key<Traffic> KEY = Key.named("traffic");

    /// As a value of a label.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

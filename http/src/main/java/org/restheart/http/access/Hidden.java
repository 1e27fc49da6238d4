package org.restheart.http.access;

import java.util.Set;
import org.restheart.http.attribute.Key;

/// Properties of the collection's documents that no response may contain or depend on. Finds and counts apply them
/// through the grant's `projectResponse`; pipelines and change streams remove them with stages of their own.
public record Hidden(Set<String> properties) {
    public static final Key<Hidden> KEY = Key.named("hidden properties");

    public Hidden {
        properties = Set.copyOf(properties);
    }
}

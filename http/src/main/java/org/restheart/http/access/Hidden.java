package org.restheart.http.access;

import java.util.Set;
import org.restheart.http.attribute.Key;

/// Properties of the collection's documents that no answer may contain and nothing a client asks may depend
/// on. Finds and counts keep to it through the grant's `projectResponse`; pipelines and change streams have
/// to take them out themselves.
///
/// @param properties names of properties of the document itself
public record Hidden(Set<String> properties) {
    public static final Key<Hidden> KEY = Key.named("hidden properties");

    public Hidden {
        properties = Set.copyOf(properties);
    }
}

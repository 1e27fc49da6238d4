package org.restheart.mongo.bulk;

import org.restheart.http.Problem;

/// What one line of a stream says.
sealed interface LineElement {
    /// From 1.
    long line();

    record Storable(long line, Element element) implements LineElement {}

    /// Nothing that can be stored.
    record Refused(long line, Problem problem) implements LineElement {}
}

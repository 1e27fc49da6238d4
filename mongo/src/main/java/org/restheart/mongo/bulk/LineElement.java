package org.restheart.mongo.bulk;

import org.restheart.http.Problem;

/// One parsed line of a stream.
sealed interface LineElement {
    /// From 1.
    long line();

    record Storable(long line, Element element) implements LineElement {}

    /// A line that cannot be stored.
    record Refused(long line, Problem problem) implements LineElement {}
}

package org.restheart.bson;

/// Says that a text is not plain JSON, so that the other parser has to read it. Without stack trace.
final class NotStrict extends RuntimeException {
    NotStrict() {
        super("not plain JSON", null, false, false);
    }
}

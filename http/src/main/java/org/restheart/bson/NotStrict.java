package org.restheart.bson;

/// Signals that a text is not plain JSON and must be read by [DriverJson]. Without stack trace.
final class NotStrict extends RuntimeException {
    NotStrict() {
        super("not plain JSON", null, false, false);
    }
}

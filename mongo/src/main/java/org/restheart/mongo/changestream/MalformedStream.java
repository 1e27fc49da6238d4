package org.restheart.mongo.changestream;

/// A stream's definition that cannot be used; the message says why, to those who wrote it.
final class MalformedStream extends Exception {
    MalformedStream(String message) {
        super(message, null, false, false);
    }
}

package org.restheart.mongo.changestream;

/// An invalid definition of a stream; the message says why, for its author.
final class MalformedStream extends Exception {
    MalformedStream(String message) {
        super(message, null, false, false);
    }
}

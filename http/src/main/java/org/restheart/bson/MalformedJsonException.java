package org.restheart.bson;

/// Text is not JSON in any accepted dialect. The message is safe to show to whoever sent it.
public final class MalformedJsonException extends RuntimeException {
    public MalformedJsonException(String message) {
        super(message, null, false, false);
    }
}

package org.restheart.bson.fields;

/// A path that a client sends is too long to be taken apart.
public final class UnusablePathException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnusablePathException(String message) {
        super(message, null, false, false);
    }
}

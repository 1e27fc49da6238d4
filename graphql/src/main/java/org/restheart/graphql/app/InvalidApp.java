package org.restheart.graphql.app;

/// A definition that cannot be served; the message names the place and is safe to show to its author.
public final class InvalidApp extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidApp(String message) {
        super(message, null, false, false);
    }
}

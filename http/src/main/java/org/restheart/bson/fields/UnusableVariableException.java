package org.restheart.bson.fields;

/// A variable stands where its value could only act as an operator, or where it makes no sense.
public final class UnusableVariableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnusableVariableException(String message) {
        super(message);
    }
}

package org.restheart.bson.fields;

/// A variable is used where its value could only be an operator, or where no value is allowed.
public final class UnusableVariableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnusableVariableException(String message) {
        super(message);
    }
}

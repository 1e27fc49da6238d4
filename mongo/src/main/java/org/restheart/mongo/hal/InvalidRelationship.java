package org.restheart.mongo.hal;

/// An invalid declaration of a relationship, or a document that does not match the declaration. The message is shown
/// to clients.
final class InvalidRelationship extends RuntimeException {
    InvalidRelationship(String message) {
        super(message, null, false, false);
    }
}

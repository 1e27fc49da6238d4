package org.restheart.mongo.hal;

/// A relationship is declared wrongly, or a document does not fit its declaration. The message is shown to
/// clients.
final class InvalidRelationship extends RuntimeException {
    InvalidRelationship(String message) {
        super(message, null, false, false);
    }
}

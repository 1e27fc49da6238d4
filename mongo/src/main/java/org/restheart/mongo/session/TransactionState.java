package org.restheart.mongo.session;

/// The state of a session's latest transaction, as reported to clients.
enum TransactionState {
    IN,
    COMMITTED,
    ABORTED
}

package org.restheart.mongo.session;

/// How far a session's latest transaction has come, as clients are told.
enum TransactionState {
    IN,
    COMMITTED,
    ABORTED
}

package org.restheart.mongo.session;

/// Limits of what callers keep in MongoDB by their sessions, for each gateway.
///
/// @param transactions in progress
/// @param transactionsPerCaller those of one account, or of one address without an account
/// @param sessions that are made known to MongoDB in half an hour; one caller may use half of them
public record SessionLimits(int transactions, int transactionsPerCaller, int sessions) {
    /// MongoDB remembers a million sessions for half an hour.
    public static final SessionLimits DEFAULT = new SessionLimits(1_000, 500, 400_000);
}

package org.restheart.mongo.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.FairShares;

/// Counts the transactions in progress that were begun through this gateway, and bounds them: each keeps
/// MongoDB from discarding old versions of documents. Thread-safe.
///
/// Transactions can also end without this gateway: by a failed write, through another gateway, by MongoDB's
/// time limit. Therefore, MongoDB is asked about them when a limit is reached.
final class OpenTransactions {
    /// The most transactions about which MongoDB is asked at one time.
    private static final int ASKED = 16;

    private static final long ASK_AGAIN = Duration.ofSeconds(1).toNanos();

    private final SessionLimits limits;
    private final Predicate<Transaction> inProgress;
    private final FairShares shares;

    /// By session, each of which has at most one transaction in progress, in the order in which MongoDB was
    /// asked about them. Guarded by this, like all fields below.
    private final LinkedHashMap<BsonDocument, Open> open = new LinkedHashMap<>();

    private final Map<String, Integer> byOwner = new HashMap<>();

    /// @param session MongoDB's id
    record Transaction(BsonDocument session, long number) {}

    /// @param asked when it was known to be in progress
    private record Open(String owner, Transaction transaction, long asked) {}

    /// @param inProgress asks MongoDB
    OpenTransactions(SessionLimits limits, Predicate<Transaction> inProgress) {
        this.limits = limits;
        this.inProgress = inProgress;
        this.shares = new FairShares(limits.transactions(), 0);
    }

    /// Called before a transaction is begun, in place of an earlier one of its session. May block for MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 429 if the caller has too many in progress, 503 if all
    ///     callers have
    void begin(String owner, BsonDocument session, long number) {
        var transaction = new Transaction(session, number);
        if (add(owner, transaction)) {
            return;
        }
        for (var each : longNotAsked(owner)) {
            if (inProgress.test(each.transaction)) {
                ask(each);
            } else {
                end(each);
            }
        }
        if (!add(owner, transaction)) {
            throw refusal(owner);
        }
    }

    private synchronized boolean add(String owner, Transaction transaction) {
        ended(transaction.session);
        if (isFull(owner) || !shares.tryTake(owner)) {
            return false;
        }
        byOwner.merge(owner, 1, Integer::sum);
        open.put(transaction.session, new Open(owner, transaction, System.nanoTime()));
        return true;
    }

    private boolean isFull(String owner) {
        return byOwner.getOrDefault(owner, 0) >= limits.transactionsPerCaller();
    }

    /// The transactions about which MongoDB was not asked recently: of the owner if it has too many, otherwise
    /// of all.
    private synchronized List<Open> longNotAsked(String owner) {
        long now = System.nanoTime();
        boolean full = isFull(owner);
        return new ArrayList<>(open.values().stream()
                .takeWhile(each -> now - each.asked > ASK_AGAIN)
                .filter(each -> !full || each.owner.equals(owner))
                .limit(ASKED)
                .toList());
    }

    private synchronized void ask(Open each) {
        if (open.remove(each.transaction.session, each)) {
            open.put(each.transaction.session, new Open(each.owner, each.transaction, System.nanoTime()));
        }
    }

    private synchronized void end(Open each) {
        if (open.remove(each.transaction.session, each)) {
            release(each);
        }
    }

    /// Called when the transaction of a session has ended.
    synchronized void ended(BsonDocument session) {
        var ended = open.remove(session);
        if (ended != null) {
            release(ended);
        }
    }

    private void release(Open ended) {
        shares.release(ended.owner);
        byOwner.computeIfPresent(ended.owner, (_, count) -> count == 1 ? null : count - 1);
    }

    private synchronized RuntimeException refusal(String owner) {
        return isFull(owner)
                ? Problem.of(
                                ProblemCode.TOO_MANY_REQUESTS,
                                limits.transactionsPerCaller()
                                        + " transactions of this caller are in progress: end some of them")
                        .with("Retry-After", "1")
                        .raise()
                : Problem.of(ProblemCode.OVERLOADED, "too many transactions are in progress")
                        .with("Retry-After", "1")
                        .raise();
    }
}

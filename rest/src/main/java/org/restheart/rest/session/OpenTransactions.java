package org.restheart.rest.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
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

    private final Sessions.Limits limits;
    private final Predicate<TransactionKey> inProgress;
    private final FairShares shares;

    /// In the order in which MongoDB was asked about them. Guarded by this.
    private final LinkedHashMap<TransactionKey, Open> open = new LinkedHashMap<>();

    /// @param session MongoDB's id
    record TransactionKey(BsonDocument session, long number) {}

    /// @param beginning requests that are beginning it now, of which one can succeed
    /// @param begun whether one has succeeded, or may have
    /// @param asked when it was known to be in progress
    private record Open(String caller, TransactionKey transaction, int beginning, boolean begun, long asked) {}

    /// @param inProgress asks MongoDB
    OpenTransactions(Sessions.Limits limits, Predicate<TransactionKey> inProgress) {
        this.limits = limits;
        this.inProgress = inProgress;
        this.shares = new FairShares(limits.transactions());
    }

    /// Called before a transaction is begun, when MongoDB has said that the one before in its session has ended;
    /// [#begun] has to follow. May block for MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 429 if the caller has too many in progress, 503 if all
    ///     callers have
    void begin(String caller, BsonDocument session, long number) {
        var transaction = new TransactionKey(session, number);
        if (add(caller, transaction)) {
            return;
        }
        for (var each : longNotAsked(caller)) {
            if (inProgress.test(each.transaction)) {
                ask(each);
            } else {
                end(each);
            }
        }
        if (!add(caller, transaction)) {
            throw refusal(caller);
        }
    }

    private synchronized boolean add(String caller, TransactionKey transaction) {
        ended(transaction.session, transaction.number - 1);
        var same = open.get(transaction);
        if (same != null) {
            put(same, same.beginning + 1, same.begun);
            return true;
        }
        if (isFull(caller) || !shares.tryTake(caller)) {
            return false;
        }
        open.put(transaction, new Open(caller, transaction, 1, false, System.nanoTime()));
        return true;
    }

    /// Called at the end of a request that should begin a transaction.
    ///
    /// @param begun whether it has, or that is unknown; else another one may have, or may be about to
    synchronized void begun(BsonDocument session, long number, boolean begun) {
        var each = open.get(new TransactionKey(session, number));
        if (each != null) {
            put(each, each.beginning - 1, each.begun || begun);
        }
    }

    /// In place of an entry, as the last; nothing for a transaction that no request has begun or is beginning.
    private void put(Open each, int beginning, boolean begun) {
        open.remove(each.transaction);
        if (beginning > 0 || begun) {
            open.put(each.transaction, new Open(each.caller, each.transaction, beginning, begun, System.nanoTime()));
        } else {
            shares.release(each.caller);
        }
    }

    private boolean isFull(String caller) {
        return open.values().stream().filter(each -> each.caller.equals(caller)).count()
                >= limits.transactionsPerCaller();
    }

    /// The transactions about which MongoDB was not asked recently: of the caller if it has too many, otherwise
    /// of all.
    private synchronized List<Open> longNotAsked(String caller) {
        long now = System.nanoTime();
        boolean full = isFull(caller);
        return new ArrayList<>(open.values().stream()
                .takeWhile(each -> now - each.asked > ASK_AGAIN)
                .filter(each -> each.beginning == 0)
                .filter(each -> !full || each.caller.equals(caller))
                .limit(ASKED)
                .toList());
    }

    private synchronized void ask(Open each) {
        if (each.equals(open.get(each.transaction))) {
            put(each, each.beginning, each.begun);
        }
    }

    private synchronized void end(Open each) {
        if (each.equals(open.get(each.transaction))) {
            put(each, each.beginning, false);
        }
    }

    /// The number of the session's transaction that has been begun and may be in progress.
    synchronized Optional<Long> latest(BsonDocument session) {
        return open.values().stream()
                .filter(each -> each.begun && each.transaction.session.equals(session))
                .map(each -> each.transaction.number)
                .max(Comparator.naturalOrder());
    }

    /// Called when a transaction has ended; a later one of its session, and requests that are about to begin it, are
    /// not affected.
    synchronized void ended(BsonDocument session, long number) {
        var ended = open.get(new TransactionKey(session, number));
        if (ended != null) {
            put(ended, ended.beginning, false);
        }
    }

    private synchronized RuntimeException refusal(String caller) {
        return isFull(caller)
                ? Problem.of(
                                ProblemCode.TOO_MANY_REQUESTS,
                                limits.transactionsPerCaller()
                                        + " transactions of this account or address are in progress: end some of them")
                        .with("Retry-After", "1")
                        .raise()
                : Problem.overloaded("too many transactions are in progress").raise();
    }
}

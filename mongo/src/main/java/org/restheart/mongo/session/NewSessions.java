package org.restheart.mongo.session;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.FairShares;

/// Limits the sessions that are made known to MongoDB. MongoDB keeps each for half an hour. When it keeps a
/// million, it refuses every new one, including those of the gateway itself. Thread-safe.
///
/// The sessions of the current half hour are recorded in a Bloom filter, so that about one of 400 is not
/// counted.
final class NewSessions {
    private static final long PERIOD = Duration.ofMinutes(30).toNanos();
    private static final int BITS = 16;

    private final int limit;
    private BitSet known = new BitSet();
    private FairShares shares;
    private long since = System.nanoTime();

    /// @param limit of one half hour
    NewSessions(int limit) {
        this.limit = limit;
        this.shares = new FairShares(limit, 0);
    }

    /// Called before MongoDB is told of a session.
    ///
    /// @throws org.restheart.http.ProblemException 429 if it is new and the caller has its share of new ones
    synchronized void admit(String caller, BsonDocument session) {
        if (System.nanoTime() - since > PERIOD) {
            known = new BitSet();
            shares = new FairShares(limit, 0);
            since = System.nanoTime();
        }
        var bits = bits(session);
        boolean isKnown = true;
        for (int bit : bits) {
            isKnown &= known.get(bit);
        }
        if (isKnown) {
            return;
        }
        if (!shares.tryTake(caller)) {
            throw Problem.of(
                            ProblemCode.TOO_MANY_REQUESTS,
                            "too many sessions in half an hour: use a session for many transactions")
                    .with("Retry-After", "60")
                    .raise();
        }
        for (int bit : bits) {
            known.set(bit);
        }
    }

    /// The id of a session is a digest, whose parts are as good as random.
    private int[] bits(BsonDocument session) {
        var id = ByteBuffer.wrap(session.getBinary("id").getData());
        var bits = new int[id.capacity() / Integer.BYTES];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = (int) (((id.getInt() & 0xffffffffL) * ((long) limit * BITS)) >>> Integer.SIZE);
        }
        return bits;
    }
}

package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonWeight;
import org.restheart.http.Body;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// Bounds the request content in memory: per request, for each caller, for all anonymous callers, and for all
/// requests together. Thread-safe.
///
/// Bytes are accounted when they arrive, whatever length was announced. Content that arrives with its
/// first bytes, and has few values, counts only for all requests together; other content also counts
/// for its caller, with what its values take as objects. Callers share the memory for it so that none
/// of them, nor dozens together, can take all ([FairShares]), and a part of all memory is left to
/// content that arrives with its first bytes.
final class BodyLimits {
    private static final int UNIT = 1 << 10;

    /// Content that need not be weighed: its objects cannot take much.
    private static final int LIGHT = 64;

    /// Bytes of objects that are not counted for content that arrives with its first bytes.
    private static final int FEW_OBJECTS = 4 << 10;

    private final long perRequest;
    private final long together;
    private final long streamed;
    private final Duration timeout;
    private final AtomicLong used = new AtomicLong();

    /// Of content that counts for its caller.
    private final Memory ofAll;

    /// The part of that for callers without an account.
    private final Memory ofAnonymous;

    /// @param callers in units of [#UNIT] bytes
    private record Memory(FairShares callers, long bytes) {
        /// @param ofAddresses whether there are no accounts among the callers
        static Memory of(long bytes, boolean ofAddresses) {
            int units = Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE);
            return new Memory(ofAddresses ? FairShares.ofAddresses(units) : new FairShares(units), bytes);
        }
    }

    BodyLimits(long perRequest, long together, long anonymous, long streamed, Duration timeout) {
        this.perRequest = Math.min(perRequest, Integer.MAX_VALUE - 8);
        this.together = together;
        this.ofAll = Memory.of(together - together / 8, anonymous >= together);
        this.ofAnonymous = Memory.of(Math.min(anonymous, ofAll.bytes), true);
        this.streamed = streamed;
        this.timeout = timeout;
    }

    long perRequest() {
        return perRequest;
    }

    long streamed() {
        return streamed;
    }

    Duration timeout() {
        return timeout;
    }

    Body tooLarge() {
        return new Refused(contentTooLarge());
    }

    Problem contentTooLarge() {
        return Problem.of(
                ProblemCode.CONTENT_TOO_LARGE, "the request content must not exceed " + perRequest + " bytes");
    }

    Problem tooMuch() {
        return Problem.of(
                ProblemCode.CONTENT_TOO_LARGE,
                "the content is larger than core.max-streamed-content, " + streamed + " bytes");
    }

    Body noRoom() {
        return new Refused(contentHasNoRoom());
    }

    void requireRoom(boolean isThere) {
        if (!isThere) {
            throw contentHasNoRoom().raise();
        }
    }

    private Problem contentHasNoRoom() {
        return Problem.overloaded("the server holds too much request content at the moment");
    }

    Body received(byte[] content, Counter counter) {
        return new Received(content, counter);
    }

    /// Whether content was received as a whole, and can be read without work that an I/O thread has no time for.
    static boolean isHere(Body content) {
        return content.isAbsent() || content instanceof Received;
    }

    /// Begins to count the bytes of a request or a message.
    ///
    /// @param caller names its caller as far as it is known then, see [CallerScope]
    Counter open(Supplier<String> caller) {
        return new Counter(caller);
    }

    /// Counts the bytes of one request, or of one message on a connection. Used by one thread at a time, but for the
    /// end of the exchange, after which nothing counts.
    final class Counter {
        private final Supplier<String> caller;
        private long counted;
        private boolean isClosed;

        /// For whom it counts; null while it counts only for all requests together.
        private @Nullable String payer;

        private int units;

        private Counter(Supplier<String> caller) {
            this.caller = caller;
        }

        /// @return whether there was room for these bytes
        synchronized boolean add(long bytes) {
            if (isClosed) {
                return true;
            }
            if (used.addAndGet(bytes) > together || (payer != null && !take(payer, counted + bytes))) {
                used.addAndGet(-bytes);
                return false;
            }
            counted += bytes;
            return true;
        }

        /// Counts the request for its caller from now on, including earlier bytes.
        synchronized boolean countForCaller() {
            if (payer == null && !isClosed) {
                var name = caller.get();
                if (!take(name, counted)) {
                    return false;
                }
                payer = name;
            }
            return true;
        }

        private boolean take(String name, long bytes) {
            int more = (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(bytes, UNIT)) - units;
            if (more <= 0) {
                return true;
            }
            int least = (int) Math.ceilDiv(perRequest, UNIT);
            boolean isAnonymous = !CallerScope.isAccount(name);
            if (isAnonymous && !ofAnonymous.callers.tryTake(name, more, least)) {
                return false;
            }
            if (!ofAll.callers.tryTake(name, more, least)) {
                if (isAnonymous) {
                    ofAnonymous.callers.release(name, more);
                }
                return false;
            }
            units += more;
            return true;
        }

        /// Counts the objects that are made of JSON ([JsonWeight]), for the caller, who may hold little else meanwhile
        /// if they are many: one request alone is not refused for them.
        ///
        /// @return whether the caller had room for that
        boolean addValues(byte[] content) {
            return addObjects(JsonWeight.of(content));
        }

        /// The same for objects of known size.
        synchronized boolean addObjects(long bytes) {
            if (!countForCaller()) {
                return false;
            }
            long weight = Math.min(bytes, mostForOne() - counted);
            return weight <= 0 || add(weight);
        }

        /// A little less than a third of the memory, which a caller alone can take, and which two callers can, also in
        /// pieces and beside what is left to others.
        private long mostForOne() {
            boolean isAnonymous = payer != null && !CallerScope.isAccount(payer);
            return (isAnonymous ? ofAnonymous : ofAll).bytes / 16 * 5 - 2 * UNIT;
        }

        void hold(long bytes) {
            requireRoom(addObjects(bytes));
        }

        /// As [Body#holdTrees].
        void holdTrees(long bytes) {
            long most;
            synchronized (this) {
                most = mostForOne() - counted;
            }
            if (bytes > most && bytes > FEW_OBJECTS) {
                throw new ProblemException(
                        ProblemCode.CONTENT_TOO_LARGE,
                        "the objects made of the content take about " + bytes + " bytes, but one request may have "
                                + Math.max(0, most) + ": send fewer values at a time, or whole documents");
            }
            hold(bytes);
        }

        synchronized void close() {
            isClosed = true;
            if (counted > 0) {
                used.addAndGet(-counted);
                counted = 0;
            }
            if (payer != null && units > 0) {
                ofAll.callers.release(payer, units);
                if (!CallerScope.isAccount(payer)) {
                    ofAnonymous.callers.release(payer, units);
                }
                units = 0;
            }
        }
    }

    private static final class Received implements Body {
        private final byte[] content;
        private final Counter counter;
        private boolean isWeighed;

        Received(byte[] content, Counter counter) {
            this.content = content;
            this.counter = counter;
        }

        @Override
        public boolean isLongerThan(long most) {
            return content.length > most;
        }

        /// What everyday content is made of is not counted.
        @Override
        public byte[] bytes() {
            if (!isWeighed && content.length > LIGHT) {
                long weight = JsonWeight.of(content);
                if (weight > FEW_OBJECTS) {
                    counter.hold(weight);
                }
                isWeighed = true;
            }
            return content;
        }

        @Override
        public void hold(long bytes) {
            counter.hold(bytes);
        }

        @Override
        public void holdTrees(long bytes) {
            counter.holdTrees(bytes);
        }
    }

    private record Refused(Problem problem) implements Body {
        @Override
        public byte[] bytes() {
            throw problem.raise();
        }
    }
}

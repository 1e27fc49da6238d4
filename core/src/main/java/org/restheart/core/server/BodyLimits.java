package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonWeight;
import org.restheart.http.Body;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.CallerScope;

/// Bounds the request content in memory: per request, for each caller, for all anonymous callers, and for all
/// requests together. Thread-safe.
///
/// Bytes are accounted when they arrive, whatever length was announced. Content that arrives with its first bytes
/// counts only for all requests together; other content also counts for its caller, whose share is bounded, and with
/// what its values take as objects.
final class BodyLimits {
    private final long perRequest;
    private final long together;
    private final long anonymous;
    private final long streamed;
    private final Duration timeout;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong usedByAnonymous = new AtomicLong();
    private final ConcurrentMap<String, Long> shares = new ConcurrentHashMap<>();

    /// @param perRequest bytes
    /// @param together bytes
    /// @param anonymous bytes for all callers without an account
    /// @param streamed bytes of content that is read while it arrives, per request
    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    BodyLimits(long perRequest, long together, long anonymous, long streamed, Duration timeout) {
        this.perRequest = Math.min(perRequest, Integer.MAX_VALUE - 8);
        this.together = together;
        this.anonymous = Math.min(anonymous, together);
        this.streamed = streamed;
        this.timeout = timeout;
    }

    long perRequest() {
        return perRequest;
    }

    /// In bytes.
    long streamed() {
        return streamed;
    }

    Duration timeout() {
        return timeout;
    }

    /// The body of a request beyond the limit: reading it fails.
    Body tooLarge() {
        return new Refused(contentTooLarge());
    }

    Problem contentTooLarge() {
        return Problem.of(
                ProblemCode.CONTENT_TOO_LARGE, "the request content must not exceed " + perRequest + " bytes");
    }

    /// The problem of streamed content beyond the limit.
    Problem tooMuch() {
        return Problem.of(ProblemCode.CONTENT_TOO_LARGE, "the request content must not exceed " + streamed + " bytes");
    }

    /// The body of a request for which there was no memory.
    Body noRoom() {
        return new Refused(contentHasNoRoom());
    }

    /// @throws org.restheart.http.ProblemException 503 if there is none
    void requireRoom(boolean isThere) {
        if (!isThere) {
            throw contentHasNoRoom().raise();
        }
    }

    private Problem contentHasNoRoom() {
        return Problem.overloaded("the server holds too much request content at the moment");
    }

    /// Content that has arrived with its head.
    Body received(byte[] content, Counter counter) {
        return new Received(content, counter);
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
        private @Nullable Share share;
        private boolean isClosed;

        private Counter(Supplier<String> caller) {
            this.caller = caller;
        }

        /// @return whether there was room for these bytes
        synchronized boolean add(long bytes) {
            if (isClosed) {
                return true;
            }
            if (share != null && !share.add(bytes)) {
                return false;
            }
            if (used.addAndGet(bytes) > together) {
                used.addAndGet(-bytes);
                if (share != null) {
                    share.release(bytes);
                }
                return false;
            }
            counted += bytes;
            return true;
        }

        /// Counts the request for its caller from now on, including earlier bytes.
        ///
        /// @return whether the caller had room for that
        synchronized boolean countForCaller() {
            if (share == null && !isClosed) {
                var name = caller.get();
                boolean isAccount = CallerScope.isAccount(name);
                var mine = new Share(name, ofOne(isAccount ? together : anonymous), !isAccount);
                if (!mine.add(counted)) {
                    return false;
                }
                share = mine;
            }
            return true;
        }

        /// Counts the objects that are made of JSON ([JsonWeight]), for the caller, who may hold nothing else meanwhile
        /// if they are many: one request alone is not refused for them.
        ///
        /// @param content complete, and counted
        /// @return whether the caller had room for that
        boolean addValues(byte[] content) {
            return addObjects(JsonWeight.of(content));
        }

        /// The same for objects of known size.
        synchronized boolean addObjects(long bytes) {
            if (!countForCaller()) {
                return false;
            }
            long most = share == null ? 0 : share.limit - counted;
            long weight = Math.min(bytes, most);
            return weight <= 0 || add(weight);
        }

        /// As [#addObjects].
        ///
        /// @throws org.restheart.http.ProblemException 503 if there is no room
        void hold(long bytes) {
            requireRoom(addObjects(bytes));
        }

        synchronized void close() {
            isClosed = true;
            if (counted > 0) {
                used.addAndGet(-counted);
                if (share != null) {
                    share.release(counted);
                }
                counted = 0;
            }
        }
    }

    /// Half of the bound, but enough for one request of the largest size if possible.
    private long ofOne(long all) {
        return Math.max(all / 2, Math.min(perRequest, all));
    }

    private final class Share {
        private final String caller;
        private final long limit;
        private final boolean isAnonymous;

        Share(String caller, long limit, boolean isAnonymous) {
            this.caller = caller;
            this.limit = limit;
            this.isAnonymous = isAnonymous;
        }

        boolean add(long bytes) {
            if (isAnonymous && usedByAnonymous.addAndGet(bytes) > anonymous) {
                usedByAnonymous.addAndGet(-bytes);
                return false;
            }
            if (shares.merge(caller, bytes, Long::sum) > limit) {
                release(bytes);
                return false;
            }
            return true;
        }

        void release(long bytes) {
            if (isAnonymous) {
                usedByAnonymous.addAndGet(-bytes);
            }
            shares.computeIfPresent(caller, (_, mine) -> mine > bytes ? mine - bytes : null);
        }
    }

    private static final class Received implements Body {
        private final byte[] content;
        private final Counter counter;

        Received(byte[] content, Counter counter) {
            this.content = content;
            this.counter = counter;
        }

        @Override
        public byte[] bytes() {
            return content;
        }

        @Override
        public long length() {
            return content.length;
        }

        @Override
        public void hold(long bytes) {
            counter.hold(bytes);
        }
    }

    private record Refused(Problem problem) implements Body {
        @Override
        public boolean isHere() {
            return false;
        }

        @Override
        public long length() {
            throw problem.raise();
        }

        @Override
        public byte[] bytes() {
            throw problem.raise();
        }
    }
}

package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.restheart.http.Body;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// How much request content the server holds: per request, and for all requests together. Thread-safe.
final class BodyLimits {
    private final long perRequest;
    private final long together;
    private final long streamed;
    private final Duration patience;
    private final AtomicLong held = new AtomicLong();

    /// @param perRequest bytes
    /// @param together bytes
    /// @param streamed bytes of content that is read while it arrives, per request
    /// @param patience how long content may take, before its pace counts
    BodyLimits(long perRequest, long together, long streamed, Duration patience) {
        this.perRequest = Math.min(perRequest, Integer.MAX_VALUE - 8);
        this.together = together;
        this.streamed = streamed;
        this.patience = patience;
    }

    long perRequest() {
        return perRequest;
    }

    /// In bytes.
    long streamed() {
        return streamed;
    }

    Duration patience() {
        return patience;
    }

    /// Stands for content beyond the limit: whoever reads it is told.
    Body tooLarge() {
        return new Refused(Problem.of(
                ProblemCode.CONTENT_TOO_LARGE, "the request content must not exceed " + perRequest + " bytes"));
    }

    /// Why content that is read while it arrives is not read any further.
    Problem tooMuch() {
        return Problem.of(ProblemCode.CONTENT_TOO_LARGE, "the request content must not exceed " + streamed + " bytes");
    }

    /// Stands for content that the server had no room for just now.
    Body noRoom() {
        return new Refused(Problem.of(ProblemCode.OVERLOADED, "the server holds too much request content at the moment")
                .with("Retry-After", "1"));
    }

    Account open() {
        return new Account();
    }

    /// What one request holds. Confined to the request.
    final class Account {
        private long booked;

        /// @return whether there was room for so many bytes more
        boolean book(int bytes) {
            if (held.addAndGet(bytes) > together) {
                held.addAndGet(-bytes);
                return false;
            }
            booked += bytes;
            return true;
        }

        void close() {
            if (booked > 0) {
                held.addAndGet(-booked);
                booked = 0;
            }
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

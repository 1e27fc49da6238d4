package org.restheart.core.accounts;

import com.mongodb.MongoException;
import java.util.function.Supplier;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks MongoDB what security needs to know. Without an answer no request is admitted: 503.
final class LookUp {
    private static final Logger LOG = LoggerFactory.getLogger(LookUp.class);

    private LookUp() {}

    static <T> T of(Supplier<T> question) {
        try {
            return question.get();
        } catch (MongoException e) {
            LOG.warn("accounts and permissions cannot be looked up: {}", e.toString());
            throw Problem.of(ProblemCode.OVERLOADED, "accounts and permissions cannot be looked up at the moment")
                    .with("Retry-After", "5")
                    .raise();
        }
    }
}

package org.restheart.rest.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.parameter.DataParameter.SESSION;
import static org.restheart.http.parameter.DataParameter.TRANSACTION;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;

/// The `sid` and `txn` parameters: in which session, and in which of its transactions, a request runs. They
/// are read after all others, when the resource is known to exist.
///
/// @param transaction counts from 1 in each session
public record SessionParameter(UUID sessionId, Optional<Long> transaction) {
    /// A transaction without a session is ignored.
    ///
    /// @throws org.restheart.http.ProblemException 400
    public static Optional<SessionParameter> parse(Query query) {
        return SESSION.first(query)
                .map(sid -> new SessionParameter(
                        sessionId(sid), TRANSACTION.first(query).map(SessionParameter::number)));
    }

    /// Whether a request runs in a transaction; what the parameters say may still be refused.
    public static boolean namesTransaction(Query query) {
        return SESSION.isIn(query) && TRANSACTION.isIn(query);
    }

    /// @throws org.restheart.http.ProblemException 400
    public static UUID sessionId(String text) {
        try {
            var id = UUID.fromString(text);
            if (!id.toString().equalsIgnoreCase(text)) { // it reads shortened forms too
                throw invalidId();
            }
            return id;
        } catch (IllegalArgumentException _) {
            throw invalidId();
        }
    }

    private static Long number(String text) {
        return transaction(text, "Invalid txn");
    }

    /// The number of a transaction. MongoDB's driver means something else by negative ones.
    ///
    /// @param refusal of what is not a number
    /// @throws org.restheart.http.ProblemException 400
    public static long transaction(String text, String refusal) {
        try {
            long number = Long.parseLong(text);
            if (number < 1) {
                throw invalid("Invalid txn: transactions count from 1");
            }
            return number;
        } catch (NumberFormatException _) {
            throw invalid(refusal);
        }
    }

    private static RuntimeException invalidId() {
        return Problem.of(PARAMETER_INVALID, "Invalid session id")
                .withHints(List.of("a session id is a UUID; POST …/_sessions makes one"))
                .raise();
    }

    private static RuntimeException invalid(String message) {
        return new ProblemException(PARAMETER_INVALID, message);
    }
}

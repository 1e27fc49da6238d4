package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.connection.ClusterDescription;
import java.net.UnknownHostException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.error.MongoCodes;

/// Says for operators why MongoDB cannot be used.
public final class MongoFailures {
    public static final String REFUSED =
            "MongoDB does not accept the account or the password of /mclient/connection-string";

    private static final int MAX_PLACES = 5;

    private MongoFailures() {}

    /// Says where MongoDB was looked for, what went wrong there, and what can be done.
    public static String unreachable(ClusterDescription cluster) {
        var places = cluster.getServerDescriptions().stream()
                .map(server -> server.getAddress() + cause(server.getException()))
                .limit(MAX_PLACES)
                .collect(Collectors.joining(", "));
        return "MongoDB does not answer" + (places.isEmpty() ? "" : " at " + places)
                + ". Start it, or correct /mclient/connection-string (--mongo URI does so for one start).";
    }

    /// What MongoDB has answered, without what it quotes of a command.
    public static String reason(MongoCommandException answer) {
        return answer.getErrorCode() == MongoCodes.UNAUTHORIZED
                ? "the MongoDB user of /mclient/connection-string lacks a privilege"
                        + MongoCodes.missingAction(String.valueOf(answer.getErrorMessage()))
                                .map(action -> ": " + action)
                                .orElse("")
                : "MongoDB answers with the error " + answer.getErrorCode() + " (" + answer.getErrorCodeName() + ")";
    }

    /// The innermost exception says what the system said.
    private static String cause(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        var cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return switch (cause) {
            case UnknownHostException _ -> " (this name has no address)";
            case SSLException tls -> " (TLS: " + tls.getMessage() + ")";
            default ->
                " (" + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()) + ")";
        };
    }
}

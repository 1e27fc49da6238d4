package org.restheart.security.predicate;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The named attributes of a request in predicates, such as `%m` or `%{METHOD}`.
enum RequestAttribute {
    METHOD("%m", "%{METHOD}"),
    REQUEST_URI("%U", "%{REQUEST_URL}"),
    RELATIVE_PATH("%R", "%{RELATIVE_PATH}"),
    QUERY_STRING("%q", "%{QUERY_STRING}"),
    BARE_QUERY_STRING("%{BARE_QUERY_STRING}"),
    REMOTE_USER("%u", "%{REMOTE_USER}"),
    REMOTE_IP("%a", "%{REMOTE_IP}"),
    REMOTE_HOST("%h", "%{REMOTE_HOST}"),
    RESPONSE_CODE("%s", "%{RESPONSE_CODE}"),
    PROTOCOL("%H", "%{PROTOCOL}"),
    SCHEME("%{SCHEME}"),
    HOST_AND_PORT("%{HOST_AND_PORT}"),
    LOCAL_SERVER_NAME("%v", "%{LOCAL_SERVER_NAME}"),
    LOCAL_IP("%A", "%{LOCAL_IP}"),
    LOCAL_PORT("%p", "%{LOCAL_PORT}"),
    SECURE("%{SECURE}");

    private final String letter;
    private final String name;

    RequestAttribute(String letter, String name) {
        this.letter = letter;
        this.name = name;
    }

    RequestAttribute(String name) {
        this(name, name);
    }

    static Optional<RequestAttribute> of(String token) {
        return Arrays.stream(values())
                .filter(attribute -> token.equals(attribute.letter) || token.equals(attribute.name))
                .findFirst();
    }

    @Nullable
    String read(Attempt attempt) {
        var request = attempt.request();
        var account = attempt.account();
        var connection = request.connection();
        return switch (this) {
            case METHOD -> request.method().name();
            case REQUEST_URI -> attempt.path().raw();
            case RELATIVE_PATH -> attempt.path().decoded();
            case QUERY_STRING -> attempt.query().isEmpty() ? "" : "?" + attempt.query();
            case BARE_QUERY_STRING -> attempt.query();
            case REMOTE_USER -> account == null ? null : account.name();
            case REMOTE_IP -> connection.peerAddress();
            case REMOTE_HOST -> connection.peer().getHostString();
            case RESPONSE_CODE -> "200"; // no response yet
            case PROTOCOL -> connection.protocol();
            case SCHEME -> connection.scheme();
            case HOST_AND_PORT -> connection.hostAndPort();
            case LOCAL_SERVER_NAME -> connection.host();
            case LOCAL_IP -> connection.localAddress();
            case LOCAL_PORT -> Integer.toString(connection.local().getPort());
            case SECURE -> Boolean.toString(connection.isSecure());
        };
    }
}

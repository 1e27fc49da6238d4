package org.restheart.mongo.content;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.LogTime;
import org.restheart.http.Nearest;
import org.restheart.http.Words;
import org.restheart.http.access.Account;
import org.restheart.mongo.exchange.DataRequest;

/// Properties of write requests that are stored in documents: the collection's property `addRequestProperties`, an
/// array of names, or `{"field": [names]}` to store them below a field.
public final class RequestProperties {
    static final String PROPERTY = "addRequestProperties";

    private static final Set<String> NAMES = Words.of("""
            userName userRoles epochTimeStamp dateTime localIp localPort localServerName queryString relativePath
            remoteIp requestMethod requestProtocol
            """);

    private RequestProperties() {}

    /// What has no effect in the property.
    public static List<String> warnings(BsonValue property) {
        var warnings = new ArrayList<String>();
        var lists = property instanceof BsonDocument fields ? List.copyOf(fields.values()) : List.of(property);
        for (var list : lists) {
            if (list instanceof BsonArray names) {
                for (var name : names) {
                    var text = name.isString() ? name.asString().getValue() : name.toString();
                    if (!NAMES.contains(text)) {
                        warnings.add(PROPERTY + ": " + text + " is unknown" + Nearest.question(text, NAMES));
                    }
                }
            } else {
                warnings.add(PROPERTY + " has no effect: it must be a list of names, or an object of such lists");
            }
        }
        return warnings;
    }

    /// The fields merged into the content; empty if the collection requests none. Unknown names are ignored.
    static BsonDocument of(DataRequest request, Instant now) {
        var wanted = request.resource().property(PROPERTY).orElse(new BsonArray());
        if (wanted.isArray()) {
            return values(request, wanted.asArray(), now);
        }
        var fields = new BsonDocument();
        if (wanted.isDocument()) {
            wanted.asDocument().forEach((field, names) -> {
                if (names.isArray()) {
                    fields.put(field, values(request, names.asArray(), now));
                }
            });
        }
        return fields;
    }

    private static BsonDocument values(DataRequest request, BsonArray names, Instant now) {
        var values = new BsonDocument();
        for (var name : names) {
            if (name.isString()) {
                value(request, name.asString().getValue(), now)
                        .ifPresent(value -> values.put(name.asString().getValue(), value));
            }
        }
        return values;
    }

    private static Optional<BsonValue> value(DataRequest request, String name, Instant now) {
        var http = request.http();
        var connection = http.connection();
        return switch (name) {
            case "userName" -> http.caller().account().map(Account::name).map(BsonString::new);
            case "userRoles" -> http.caller().account().map(RequestProperties::roles);
            case "epochTimeStamp" ->
                Optional.of(new BsonDateTime(now.truncatedTo(ChronoUnit.SECONDS).toEpochMilli()));
            case "dateTime" -> text(LogTime.of(now));
            case "localIp" -> text(connection.local().getAddress().getHostAddress());
            case "localPort" -> text(String.valueOf(connection.local().getPort()));
            case "localServerName" -> text(hostName(connection.hostAndPort()));
            case "queryString" -> text("?" + http.query().raw());
            case "relativePath" -> text(http.path().decoded());
            case "remoteIp" -> text(connection.peerAddress());
            case "requestMethod" -> text(http.method().name());
            case "requestProtocol" -> text(connection.protocol());
            default -> Optional.empty();
        };
    }

    private static BsonValue roles(Account account) {
        var roles = new BsonArray();
        account.roles().forEach(role -> roles.add(new BsonString(role)));
        return roles;
    }

    private static String hostName(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        return colon > hostAndPort.lastIndexOf(']') ? hostAndPort.substring(0, colon) : hostAndPort;
    }

    private static Optional<BsonValue> text(String value) {
        return Optional.of(new BsonString(value));
    }
}

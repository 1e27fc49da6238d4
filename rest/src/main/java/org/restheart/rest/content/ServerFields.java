package org.restheart.rest.content;

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
import org.restheart.data.Access;
import org.restheart.http.LogTime;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// Fields of documents that are written which are not the client's. Immutable by agreement.
///
/// @param added by the collection: properties of the request that its property `addRequestProperties` names, in an
///     array, or in `{"field": [names]}` to store them below a field
/// @param merged by the access rule, by paths; they win
public record ServerFields(BsonDocument added, BsonDocument merged) {
    private static final String PROPERTY = "addRequestProperties";

    private static final Set<String> NAMES = Words.of("""
        userName userRoles epochTimeStamp dateTime localIp localPort localServerName queryString relativePath
        remoteIp requestMethod requestProtocol
        """);

    public static ServerFields of(DataRequest request) {
        return new ServerFields(added(request), ofRule(request.grant()).merged);
    }

    /// Those of the access rule alone.
    public static ServerFields ofRule(Access access) {
        return new ServerFields(new BsonDocument(), access.mergeRequest().orElseGet(BsonDocument::new));
    }

    boolean areNone() {
        return added.isEmpty() && merged.isEmpty();
    }

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

    /// Unknown names are ignored.
    private static BsonDocument added(DataRequest request) {
        var wanted = request.resource().property(PROPERTY).orElseGet(BsonArray::new);
        var now = Instant.now();
        if (wanted.isArray()) {
            return values(request.http(), wanted.asArray(), now);
        }
        var fields = new BsonDocument();
        if (wanted instanceof BsonDocument lists) {
            lists.forEach((field, names) -> {
                if (names.isArray()) {
                    fields.put(field, values(request.http(), names.asArray(), now));
                }
            });
        }
        return fields;
    }

    private static BsonDocument values(Request http, BsonArray names, Instant now) {
        var values = new BsonDocument();
        for (var name : names) {
            if (name.isString()) {
                value(http, name.asString().getValue(), now)
                        .ifPresent(value -> values.put(name.asString().getValue(), value));
            }
        }
        return values;
    }

    private static Optional<BsonValue> value(Request http, String name, Instant now) {
        var connection = http.connection();
        return switch (name) {
            case "userName" -> http.caller().account().map(Account::name).map(BsonString::new);
            case "userRoles" -> http.caller().account().map(ServerFields::roles);
            case "epochTimeStamp" ->
                Optional.of(new BsonDateTime(now.truncatedTo(ChronoUnit.SECONDS).toEpochMilli()));
            case "dateTime" -> text(LogTime.of(now));
            case "localIp" -> text(connection.local().getAddress().getHostAddress());
            case "localPort" -> text(String.valueOf(connection.local().getPort()));
            case "localServerName" -> text(connection.host());
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

    private static Optional<BsonValue> text(String value) {
        return Optional.of(new BsonString(value));
    }
}

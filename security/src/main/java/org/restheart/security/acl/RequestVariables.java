package org.restheart.security.acl;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.LogTime;
import org.restheart.http.access.DataTarget;
import org.restheart.security.predicate.Attempt;

/// `@request` in the filters of permissions.
final class RequestVariables {
    private RequestVariables() {}

    static BsonDocument of(Attempt attempt) {
        var request = attempt.request();
        var connection = request.connection();
        var account = attempt.account();
        var now = Instant.now();
        var query = request.query().raw();
        var target = request.attribute(DataTarget.KEY);
        return new BsonDocument("db", text(target.flatMap(DataTarget::db)))
                .append("collection", text(target.flatMap(DataTarget::collection)))
                .append("_id", target.flatMap(DataTarget::id).orElse(BsonNull.VALUE))
                .append("resourceType", text(target.map(known -> known.kind().name())))
                .append("userName", text(Optional.ofNullable(account).map(known -> known.name())))
                .append(
                        "epochTimeStamp",
                        new BsonDateTime(now.truncatedTo(ChronoUnit.SECONDS).toEpochMilli()))
                .append("dateTime", new BsonString(LogTime.of(now)))
                .append("localIp", new BsonString(hostAddress(connection.local())))
                .append(
                        "localPort",
                        new BsonString(Integer.toString(connection.local().getPort())))
                .append(
                        "localServerName",
                        new BsonString(connection.hostAndPort().replaceFirst(":\\d+$", "")))
                .append("queryString", new BsonString(query.isEmpty() ? "" : "?" + query))
                .append("relativePath", new BsonString(request.path().decoded()))
                .append("remoteIp", new BsonString(connection.peerAddress()))
                .append("method", new BsonString(request.method().name()))
                .append("protocol", new BsonString(connection.protocol()));
    }

    private static String hostAddress(java.net.InetSocketAddress address) {
        return address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    private static BsonValue text(Optional<String> value) {
        return value.<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE);
    }
}

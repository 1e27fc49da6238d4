package org.restheart.core.observation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.restheart.http.NamedOperation;

/// The fields of a completed request in JSON log lines: never its content, nor secrets of its query.
final class RequestFields {
    private RequestFields() {}

    /// `request`, `method`, `path`, `query`, `status`, `elapsedMillis`, `bytes`, `peer`, `protocol`, and of an
    /// authenticated caller `account` and `roles`.
    static Map<String, Object> of(Observation observation) {
        var fields = who(observation);
        var query = LogText.maskedQuery(observation.request().query().raw());
        if (!query.isEmpty()) {
            fields.put("query", query);
        }
        return fields;
    }

    /// The same without the query, whose filters hold values.
    static Map<String, Object> who(Observation observation) {
        var request = observation.request();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("request", request.id());
        fields.put("method", RequestLog.method(observation));
        fields.put("path", LogText.bounded(LogText.oneLine(request.path().raw())));
        fields.put("status", observation.status());
        fields.put("elapsedMillis", Math.floorDiv(observation.nanos(), 10_000L) / 100.0);
        fields.put("bytes", observation.bytes());
        fields.put("peer", RequestLog.peer(request));
        fields.put("protocol", request.connection().protocol());
        observation.account().ifPresent(account -> {
            fields.put("account", account.name());
            fields.put("roles", account.roles());
        });
        observation
                .operation()
                .map(NamedOperation::name)
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> fields.put("operation", LogText.bounded(name)));
        return fields;
    }
}

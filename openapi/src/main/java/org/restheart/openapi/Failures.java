package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.ProblemCode;
import org.restheart.http.StatusText;
import org.restheart.http.access.ResourceKind;

/// The statuses of errors, and their responses.
final class Failures {
    private static final List<Integer> OF_ALL = List.of(400, 401, 403, 404, 408, 500, 503);
    private static final List<Integer> OF_WRITES = List.of(409, 412, 413, 415, 422);

    private Failures() {}

    static Set<Integer> of(DataOperation operation) {
        var statuses = new TreeSet<>(OF_ALL);
        if (operation.writes() || operation.kind() == ResourceKind.AGGREGATIONS) {
            statuses.addAll(OF_WRITES);
        }
        if (operation.output() == DataOperation.Output.RESULTS || operation.output() == DataOperation.Output.EVENTS) {
            statuses.add(422);
        }
        if (operation.output() == DataOperation.Output.DOCUMENTS) {
            statuses.add(406);
        }
        statuses.removeAll(operation.statuses());
        return statuses;
    }

    static String text(int status) {
        return StatusText.of(status);
    }

    static BsonDocument response(int status, Components components) {
        var response = object("description", text(status));
        if (status == 503 || status == 429) {
            response.append(
                    "headers", object("Retry-After", object("description", "seconds", "schema", type("integer"))));
        }
        if (status == 401) { // sent before the service is known
            return response;
        }
        var codes = new BsonArray(Arrays.stream(ProblemCode.values())
                .filter(code -> code.status() == status)
                .map(code -> new BsonString(code.name()))
                .toList());
        var problem = object(
                "type",
                "object",
                "properties",
                object(
                        "type", type("string"),
                        "title", type("string"),
                        "status", type("integer"),
                        "detail", type("string"),
                        "code", codes.isEmpty() ? type("string") : object("type", "string", "enum", codes)),
                "required",
                array("type", "title", "status"));
        return response.append(
                "content",
                object(
                        "application/json", object("schema", components.fixed("DataError")),
                        "application/problem+json", object("schema", problem)));
    }
}

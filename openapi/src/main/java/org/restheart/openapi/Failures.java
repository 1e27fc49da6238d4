package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.StatusText;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.Use;
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;

/// The statuses of errors of each operation, with the codes of problems that it can have, and their responses.
final class Failures {
    /// 429: attempts to guess passwords, rate limits and shares of one caller.
    private static final List<Integer> OF_ALL = List.of(400, 401, 403, 404, 408, 429, 500, 503);

    private static final Set<ResourceKind> WITH_VARIABLES =
            EnumSet.of(ResourceKind.AGGREGATIONS, ResourceKind.AGGREGATION, ResourceKind.CHANGE_STREAM);

    private static final Set<Input> WITHOUT_DOCUMENTS = EnumSet.of(Input.NONE, Input.PROPERTIES, Input.VALIDATOR);

    private Failures() {}

    static Set<Integer> of(DataOperation operation) {
        var statuses = new TreeSet<>(OF_ALL);
        if (operation.input() != Input.NONE) {
            statuses.addAll(List.of(413, 415));
        }
        if (operation.writes()) {
            statuses.add(409);
        }
        if (operation.takesPrecondition() || operation.use() == Use.CREATE) { // If-Match: * creates nothing
            statuses.add(412);
        }
        if (WITH_VARIABLES.contains(operation.kind())
                || operation.takesIdempotencyKey() // the key of another request
                || (operation.kind() == ResourceKind.COLLECTION_VALIDATOR && operation.method() == Method.PUT)) {
            statuses.add(422);
        }
        if (operation.output() == Output.EVENTS) {
            statuses.add(410);
        }
        statuses.removeAll(operation.statuses());
        return statuses;
    }

    /// The codes of a status that the operation can raise, in the order of [ProblemCode].
    static List<ProblemCode> codes(DataOperation operation, int status) {
        return Arrays.stream(ProblemCode.values())
                .filter(code -> code.status() == status && canRaise(operation, code))
                .toList();
    }

    private static boolean canRaise(DataOperation operation, ProblemCode code) {
        return switch (code) {
            case TARGET_UNAVAILABLE -> false; // of proxies
            case INDEX_PROTECTED -> operation.kind() == ResourceKind.INDEX && operation.method() == Method.DELETE;
            case CONTENT_INVALID, CONTENT_TIMED_OUT -> operation.input() != Input.NONE;
            case DUPLICATE_KEY ->
                !WITHOUT_DOCUMENTS.contains(operation.input())
                        || (operation.method() == Method.DELETE && operation.takesPrecondition());
            case ETAG_REQUIRED -> operation.takesPrecondition() || operation.takesIdempotencyKey();
            default -> true;
        };
    }

    /// The name of the shared response: that of the status, with the codes if these are not all of it.
    static String component(DataOperation operation, int status) {
        var codes = codes(operation, status);
        boolean all = Arrays.stream(ProblemCode.values())
                .filter(code -> code.status() == status && code != ProblemCode.TARGET_UNAVAILABLE)
                .allMatch(codes::contains);
        return "Status" + status
                + (all ? "" : codes.stream().map(code -> "_" + code.name()).collect(Collectors.joining()));
    }

    static BsonDocument response(DataOperation operation, int status, Components components) {
        var response = object("description", StatusText.of(status));
        if (status == 503 || status == 429) {
            response.append(
                    "headers", object("Retry-After", object("description", "seconds", "schema", type("integer"))));
        }
        var names = new BsonArray(codes(operation, status).stream()
                .map(code -> new BsonString(code.name()))
                .toList());
        var problem = members(
                object(
                        "type", type("string"),
                        "title", type("string"),
                        "status", type("integer"),
                        "detail", type("string"),
                        "code", object("type", "string", "enum", names),
                        "warnings", list(type("string"))),
                "type",
                "title",
                "status");
        var name = "Problem." + component(operation, status).substring("Status".length());
        components.put(name, problem); // no collection's name has a dot
        return response.append(
                "content",
                Json.content("application/json", components.fixed("DataError"))
                        .append("application/problem+json", object("schema", Json.schema(name))));
    }
}

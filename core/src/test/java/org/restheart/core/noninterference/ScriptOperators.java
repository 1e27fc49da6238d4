package org.restheart.core.noninterference;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Operators that run server-side JavaScript.
final class ScriptOperators {
    private static final Set<String> OPERATORS = Set.of("$where", "$function", "$accumulator");

    private ScriptOperators() {}

    /// Whether a request contains one, in a parameter, a pipeline or an action.
    static boolean isIn(FuzzRequest request) {
        return request.parameters().stream().anyMatch(p -> p.value() instanceof BsonValue value && isIn(value))
                || request.body() instanceof BsonValue content
                        && (content.isArray() && request.method().equals("PATCH")
                                || request.path().startsWith("/app/")
                                || request.path().endsWith("/_aggrs"))
                        && isIn(content);
    }

    private static boolean isIn(BsonValue value) {
        return switch (value) {
            case BsonDocument document ->
                document.entrySet().stream()
                        .anyMatch(e ->
                                OPERATORS.contains(e.getKey()) || !e.getKey().equals("$literal") && isIn(e.getValue()));
            case BsonArray array -> array.stream().anyMatch(ScriptOperators::isIn);
            default -> false;
        };
    }
}

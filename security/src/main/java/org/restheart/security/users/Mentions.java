package org.restheart.security.users;

import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Query;

/// Finds out whether the parameters of a request depend on properties that nobody may see: by name, as a
/// field path, or through an expression that can reach every property. Refuses rather too much than too
/// little.
record Mentions(Set<String> hidden) {
    private static final List<String> PARAMETERS =
            List.of("filter", "keys", "sort", "sort_by", "hint", "avars", "shardkey");
    /// They name properties by computed text, run code, or show what an index holds.
    private static final Set<String> OPAQUE = Set.of(
            "$getField", "$setField", "$unsetField", "$function", "$accumulator", "$where", "$meta", "$objectToArray");

    boolean in(Query query) {
        return PARAMETERS.stream().anyMatch(name -> query.all(name).stream().anyMatch(text -> in(name, text)));
    }

    private boolean in(String parameter, String text) {
        boolean isExpression = !parameter.equals("filter");
        try {
            var value = JsonParser.parse(text);
            if (value instanceof BsonDocument || value instanceof BsonArray) {
                return in(value, isExpression);
            }
        } catch (MalformedJsonException _) {
            // the short form of a sort, the name of an index, or something that the handler refuses
        }
        return switch (parameter) {
            case "sort", "sort_by" -> isPath(text.strip().replaceFirst("^[+-]", ""));
            case "hint" -> hidden.stream().anyMatch(text::contains);
            default -> false;
        };
    }

    private boolean in(BsonValue value, boolean isExpression) {
        return switch (value) {
            case BsonDocument document ->
                document.entrySet().stream()
                        .anyMatch(entry -> OPAQUE.contains(entry.getKey())
                                || isPath(entry.getKey())
                                || in(
                                        entry.getValue(),
                                        isExpression || entry.getKey().equals("$expr")));
            case BsonArray array -> array.stream().anyMatch(element -> in(element, isExpression));
            case BsonString text -> isReference(text.getValue()) || (isExpression && hidden.contains(text.getValue()));
            default -> false;
        };
    }

    private boolean isPath(String path) {
        int dot = path.indexOf('.');
        return hidden.contains(dot < 0 ? path : path.substring(0, dot));
    }

    /// `$name`, `$$variable.name`, and the whole document as a value.
    private boolean isReference(String text) {
        if (!text.startsWith("$$")) {
            return text.startsWith("$") && isPath(text.substring(1));
        }
        var steps = text.substring(2).split("\\.", -1);
        boolean isDocument = steps[0].equals("ROOT") || steps[0].equals("CURRENT");
        return (isDocument && steps.length == 1) || (steps.length > 1 && hidden.contains(steps[1]));
    }
}

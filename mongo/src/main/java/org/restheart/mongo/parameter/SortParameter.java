package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;

/// The `sort` parameter (older name: `sort_by`): a JSON object or a short form, `a`, `+a`, `-a`.
final class SortParameter {
    private static final BsonInt32 ASCENDING = new BsonInt32(1);
    private static final BsonInt32 DESCENDING = new BsonInt32(-1);

    /// The newest documents first, when ids are ObjectIds.
    private static final BsonDocument DEFAULT = new BsonDocument("_id", DESCENDING);

    private SortParameter() {}

    static boolean isIn(Query query) {
        return query.has("sort") || query.has("sort_by");
    }

    /// @throws ProblemException 400
    static BsonDocument sort(Query query) {
        var values = query.has("sort_by") ? query.all("sort_by") : query.all("sort");
        return values.isEmpty() ? DEFAULT : merge(values);
    }

    private static BsonDocument merge(List<String> values) {
        var sort = new BsonDocument();
        for (var value : values) {
            var text = value.strip();
            if (text.isEmpty()) {
                throw Problem.of(PARAMETER_INVALID, "Illegal sort parameter").raise();
            }
            switch (text.charAt(0)) {
                case '{' -> sort.putAll(object(text));
                case '[' -> throw invalid();
                case '-' -> sort.append(fieldName(text.substring(1)), DESCENDING);
                case '+' -> sort.append(fieldName(text.substring(1)), ASCENDING);
                default -> sort.append(fieldName(text), ASCENDING);
            }
        }
        return sort;
    }

    private static String fieldName(String text) {
        var name = text.strip();
        if (name.isEmpty() || name.chars().allMatch(Character::isDigit)) {
            throw invalid();
        }
        return name;
    }

    private static BsonDocument object(String text) {
        try {
            var sort = JsonParser.parse(text);
            if (!sort.isDocument()) { // {"$oid": …} is parsed to a value
                throw invalid();
            }
            for (var direction : sort.asDocument().values()) {
                if (!direction.isNumber() && !direction.isDocument()) {
                    throw invalid();
                }
            }
            return sort.asDocument();
        } catch (MalformedJsonException e) {
            throw e.isAfterTheEnd()
                    ? Problem.of(PARAMETER_INVALID, "Invalid sort parameter. " + e.getMessage())
                            .raise()
                    : invalid();
        }
    }

    private static ProblemException invalid() {
        return Problem.of(PARAMETER_INVALID, "Invalid sort parameter").raise();
    }
}

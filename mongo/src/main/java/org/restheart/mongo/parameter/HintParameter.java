package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;

/// The `hint` parameter, which index to use: a key document, a short form of one (`+a`, `-a`) or an index's
/// name.
final class HintParameter {
    private HintParameter() {}

    /// The last one counts.
    ///
    /// @throws ProblemException 400
    static Optional<BsonValue> parse(Query query) {
        var hints = query.all("hint");
        return hints.isEmpty() ? Optional.empty() : Optional.of(parse(hints.getLast()));
    }

    private static BsonValue parse(String text) {
        if (text.isBlank()) {
            throw illegal();
        }
        return switch (text.charAt(0)) {
            case '{' -> JsonParameter.document("hint", text);
            case '+' -> new BsonDocument(text.substring(1), new BsonInt32(1));
            case '-' -> new BsonDocument(text.substring(1), new BsonInt32(-1));
            case '"', '\'' -> quotedName(text);
            default -> new BsonString(text.strip());
        };
    }

    private static BsonValue quotedName(String text) {
        try {
            return JsonParser.parse(text);
        } catch (MalformedJsonException _) {
            throw illegal();
        }
    }

    private static ProblemException illegal() {
        return Problem.of(PARAMETER_INVALID, "illegal hint parameter").raise();
    }
}

package org.restheart.mongo.content;

import java.time.Instant;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/// Resolves `$currentDate` in content that is stored whole, where MongoDB does not support it.
final class CurrentDate {
    private CurrentDate() {}

    /// The fields named in `operand`, with their values.
    ///
    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument resolve(BsonValue operand, Instant now) {
        if (!operand.isDocument()) {
            throw wrong();
        }
        var fields = new BsonDocument();
        operand.asDocument().forEach((name, type) -> fields.put(name, value(type, now)));
        return fields;
    }

    private static BsonValue value(BsonValue type, Instant now) {
        if (type.equals(BsonBoolean.TRUE) || type.equals(type("date"))) {
            return new BsonDateTime(now.toEpochMilli());
        }
        if (type.equals(type("timestamp"))) {
            return new BsonTimestamp((int) now.getEpochSecond(), 1);
        }
        throw wrong();
    }

    private static BsonDocument type(String name) {
        return new BsonDocument("$type", new BsonString(name));
    }

    private static RuntimeException wrong() {
        return Refusals.invalid("wrong $currentDate operator");
    }
}

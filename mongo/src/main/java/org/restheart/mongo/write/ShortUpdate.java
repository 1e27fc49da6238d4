package org.restheart.mongo.write;

import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Recognizes updates that take no longer than reading and writing the document, so that others may wait for them.
/// Unknown operators are not short.
final class ShortUpdate {
    private static final Set<String> OPERATORS = Set.of(
            "$set",
            "$unset",
            "$inc",
            "$mul",
            "$min",
            "$max",
            "$rename",
            "$setOnInsert",
            "$currentDate",
            "$push",
            "$pop",
            "$bit");

    private ShortUpdate() {}

    static boolean is(BsonDocument operators) {
        return operators.entrySet().stream()
                .allMatch(entry -> OPERATORS.contains(entry.getKey())
                        || (entry.getKey().equals("$addToSet") && addsSingleValues(entry.getValue())));
    }

    /// Each of many values would be compared with each element.
    private static boolean addsSingleValues(BsonValue paths) {
        return paths.isDocument()
                && paths.asDocument().values().stream()
                        .noneMatch(value ->
                                value.isDocument() && value.asDocument().containsKey("$each"));
    }
}

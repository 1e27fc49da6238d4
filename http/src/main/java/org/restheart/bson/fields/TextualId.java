package org.restheart.bson.fields;

import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Ids in filters that are texts and look like ObjectIds, which they do not equal.
public final class TextualId {
    private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-fA-F]{24}|ObjectId\\(.*\\)");
    private static final int MAX_VALUES = 100;

    private TextualId() {}

    /// A warning about such an id.
    ///
    /// @param id with which a filter compares `_id`: a value, or a condition
    public static Optional<String> warning(BsonValue id) {
        return switch (id) {
            case BsonString text
            when OBJECT_ID.matcher(text.getValue()).matches() ->
                Optional.of("the filter compares _id with a text; an ObjectId is written {\"_id\": {\"$oid\": …}}");
            case BsonDocument condition
            when condition.get("$in") instanceof BsonArray values ->
                values.stream()
                        .limit(MAX_VALUES)
                        .filter(BsonString.class::isInstance)
                        .flatMap(one -> warning(one).stream())
                        .findFirst();
            case BsonDocument condition when condition.get("$eq") instanceof BsonString text -> warning(text);
            default -> Optional.empty();
        };
    }
}

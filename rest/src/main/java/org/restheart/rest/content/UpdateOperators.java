package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.util.Map;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.ProblemException;

/// Update operators in the content of a request (MongoDB manual, "Update Operators"), and the fields that they change.
final class UpdateOperators {
    static final String CURRENT_DATE = "$currentDate";
    static final String SET = "$set";
    static final String SET_ON_INSERT = "$setOnInsert";

    private UpdateOperators() {}

    static boolean isOne(String key) {
        return Place.UPDATE.known().contains(key);
    }

    static ProblemException unknown(String key) {
        return invalid("Invalid BSON: the name of a field at the top must not start with $ and " + key
                + " is no update operator");
    }

    /// Whether changing one field could change the other: one contains the other, or they are the same.
    static boolean overlap(String a, String b) {
        return DottedKeys.read(a, FieldPath::of).overlaps(DottedKeys.read(b, FieldPath::of));
    }

    /// Whether one entry of an operator's document could change `path`; for `$rename` also its target.
    static boolean touches(String operator, Map.Entry<String, BsonValue> entry, String path) {
        return overlap(entry.getKey(), path)
                || (operator.equals("$rename")
                        && entry.getValue().isString()
                        && overlap(entry.getValue().asString().getValue(), path));
    }
}

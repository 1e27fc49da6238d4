package org.restheart.mongo.validator;

import java.util.List;
import org.bson.BsonDocument;

/// A JSON Schema in MongoDB's dialect. It admits every document that the schema admits, and others where something is
/// left out. Immutable by agreement.
///
/// @param schema the value of `$jsonSchema`
/// @param leftOut what MongoDB cannot express; empty if the translation is complete
record TranslatedSchema(BsonDocument schema, List<LeftOut> leftOut) {
    /// A keyword that MongoDB cannot express.
    ///
    /// @param path of the subschema with the keyword, as it is reached: `order#/properties/price`
    record LeftOut(String path, String keyword, String why) {
        String text() {
            return path + ": " + keyword + (why.isEmpty() ? "" : ", " + why);
        }
    }

    boolean isComplete() {
        return leftOut.isEmpty();
    }
}

package org.restheart.mongo.metadata;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationAlternate;
import com.mongodb.client.model.CollationCaseFirst;
import com.mongodb.client.model.CollationMaxVariable;
import com.mongodb.client.model.CollationStrength;
import java.util.function.Consumer;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;

/// Collations as `listCollections` describes them.
final class Collations {
    private Collations() {}

    static Collation parse(BsonDocument described) {
        var collation = Collation.builder();
        text(described, "locale", collation::locale);
        text(described, "caseFirst", value -> collation.collationCaseFirst(CollationCaseFirst.fromString(value)));
        text(described, "alternate", value -> collation.collationAlternate(CollationAlternate.fromString(value)));
        text(described, "maxVariable", value -> collation.collationMaxVariable(CollationMaxVariable.fromString(value)));
        flag(described, "caseLevel", collation::caseLevel);
        flag(described, "numericOrdering", collation::numericOrdering);
        flag(described, "normalization", collation::normalization);
        flag(described, "backwards", collation::backwards);
        if (described.isNumber("strength")) {
            collation.collationStrength(
                    CollationStrength.fromInt(described.getNumber("strength").intValue()));
        }
        return collation.build();
    }

    private static void text(BsonDocument described, String name, Consumer<String> set) {
        if (described.isString(name)) {
            set.accept(described.getString(name).getValue());
        }
    }

    private static void flag(BsonDocument described, String name, Consumer<Boolean> set) {
        if (described.get(name) instanceof BsonBoolean value) {
            set.accept(value.getValue());
        }
    }
}

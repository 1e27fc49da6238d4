package org.restheart.mongo.validator;

import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.mongo.schema.SchemaSource;
import org.restheart.mongo.validator.SchemaTranslator.TranslatedSchema;

/// A collection's validator in MongoDB. One that was made from the collection's JSON Schema is marked in its
/// description, so that no other validator is taken for it. Immutable by agreement.
record StoredValidator(BsonDocument validator, String level, String action) {
    private static final String SCHEMA = "$jsonSchema";
    private static final String DESCRIPTION = "description";
    private static final String MARK = "RESTHeart keeps this equal to the JSON Schema ";

    /// @param info of `listCollections`
    static Optional<StoredValidator> of(BsonDocument info) {
        var options = info.getDocument("options", new BsonDocument());
        return Optional.of(options.getDocument("validator", new BsonDocument()))
                .filter(validator -> !validator.isEmpty())
                .map(validator -> new StoredValidator(
                        validator,
                        text(options, "validationLevel", "strict"),
                        text(options, "validationAction", "error")));
    }

    private static String text(BsonDocument options, String name, String otherwise) {
        return options.getString(name, new BsonString(otherwise)).getValue();
    }

    static BsonDocument following(SchemaSource schema, TranslatedSchema translation) {
        var described = new BsonDocument(
                DESCRIPTION,
                new BsonString(MARK
                        + schema.uri()
                        + (translation.isComplete() ? "" : "; what MongoDB cannot express is left out")));
        described.putAll(translation.schema());
        return new BsonDocument(SCHEMA, described);
    }

    /// Whether it was made from a JSON Schema.
    boolean follows() {
        return validator.size() == 1
                && validator.get(SCHEMA) instanceof BsonDocument schema
                && schema.get(DESCRIPTION) instanceof BsonString text
                && text.getValue().startsWith(MARK);
    }

    static BsonArray texts(TranslatedSchema translation) {
        var texts = new BsonArray();
        translation
                .leftOut()
                .forEach(left -> texts.add(new BsonDocument("path", new BsonString(left.path()))
                        .append("keyword", new BsonString(left.keyword()))
                        .append("why", new BsonString(left.why()))));
        return texts;
    }
}

package org.restheart.mongo.find;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationAlternate;
import com.mongodb.client.model.CollationCaseFirst;
import com.mongodb.client.model.CollationMaxVariable;
import com.mongodb.client.model.CollationStrength;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// How texts are compared and sorted (MongoDB manual, "Collation").
public final class Collations {
    private static final Set<String> FIELDS = Words.of("""
        locale strength caseLevel caseFirst numericOrdering alternate maxVariable normalization backwards\
        """);

    private static final BsonDocument DEFAULTS = BsonDocument.parse("""
        {strength: 3, caseLevel: false, caseFirst: 'off', numericOrdering: false, alternate: 'non-ignorable',
         maxVariable: 'punct', normalization: false, backwards: false}\
        """);

    private static final int MAX_QUOTED = 50;

    private Collations() {}

    /// @param written by a client
    /// @param where it stands, for messages
    /// @throws org.restheart.http.ProblemException 400 for unknown fields and for values of other types or ranges
    public static Collation of(BsonDocument written, String where) {
        if (!(written.get("locale") instanceof BsonString)) {
            throw refusal(where, "locale must be a text, such as \"en\"");
        }
        for (var name : written.keySet()) {
            if (!FIELDS.contains(name)) {
                throw refusal(where, ShortText.of(name, MAX_QUOTED) + " is unknown" + Nearest.question(name, FIELDS));
            }
        }
        return built(written, where);
    }

    /// A collation as `listCollections` describes it.
    public static Collation described(BsonDocument options) {
        var known = new BsonDocument();
        options.forEach((name, value) -> {
            if (FIELDS.contains(name)) {
                known.append(name, value);
            }
        });
        return built(known, "collation");
    }

    private static Collation built(BsonDocument options, String where) {
        var collation = Collation.builder();
        options.forEach((name, value) -> {
            try {
                switch (name) {
                    case "locale" -> collation.locale(value.asString().getValue());
                    case "strength" -> collation.collationStrength(CollationStrength.fromInt(whole(value)));
                    case "caseLevel" -> collation.caseLevel(flag(value));
                    case "caseFirst" ->
                        collation.collationCaseFirst(
                                CollationCaseFirst.fromString(value.asString().getValue()));
                    case "numericOrdering" -> collation.numericOrdering(flag(value));
                    case "alternate" ->
                        collation.collationAlternate(
                                CollationAlternate.fromString(value.asString().getValue()));
                    case "maxVariable" ->
                        collation.collationMaxVariable(
                                CollationMaxVariable.fromString(value.asString().getValue()));
                    case "normalization" -> collation.normalization(flag(value));
                    case "backwards" -> collation.backwards(flag(value));
                    default -> throw new IllegalArgumentException(name);
                }
            } catch (IllegalArgumentException | BsonInvalidOperationException _) {
                throw refusal(where, "the value of " + name + " is none that MongoDB has");
            }
        });
        return collation.build();
    }

    private static int whole(BsonValue value) {
        double number = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
        if (number != (int) number) {
            throw new IllegalArgumentException("no whole number");
        }
        return (int) number;
    }

    private static boolean flag(BsonValue value) {
        if (value instanceof BsonBoolean known) {
            return known.getValue();
        }
        throw new IllegalArgumentException("neither true nor false");
    }

    private static ProblemException refusal(String where, String what) {
        return new ProblemException(ProblemCode.PARAMETER_INVALID, "illegal " + where + ": " + what);
    }

    /// Whether both compare all texts in the same way, as far as this can be told.
    public static boolean areEqual(Collation one, Collation other) {
        return complete(one).equals(complete(other));
    }

    private static BsonDocument complete(Collation collation) {
        var complete = DEFAULTS.clone();
        complete.putAll(collation.asDocument());
        return complete;
    }
}

package org.restheart.mongo.resource;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Locale;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// How the text of an id in a path becomes a BSON value: the `id_type` parameter.
public enum IdType {
    OID,
    STRING_OID,
    STRING,
    NUMBER,
    DATE,
    MINKEY,
    MAXKEY,
    NULL,
    BOOLEAN;

    /// @throws ProblemException 400 for a name that is none of these
    public static IdType of(String name) {
        if (name.isEmpty()) {
            return STRING_OID;
        }
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw Problem.of(
                            PARAMETER_INVALID,
                            "illegal id_type parameter; must be [OID, STRING_OID, STRING, NUMBER, DATE, MINKEY,"
                                    + " MAXKEY, NULL, BOOLEAN]")
                    .raise();
        }
    }

    /// An id that the server makes up is an ObjectId: whoever wants another type has to send the id.
    ///
    /// @throws ProblemException 400
    public void requireGenerated() {
        if (this != OID && this != STRING_OID) {
            throw Problem.of(CONTENT_INVALID, "_id in content body is mandatory for documents with id type " + this)
                    .raise();
        }
    }

    /// The value that `text` means. The special ids (`_null`, `_true` …) win over the type.
    ///
    /// @throws ProblemException 400
    public BsonValue parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "_null" -> BsonNull.VALUE;
            case "_true" -> BsonBoolean.TRUE;
            case "_false" -> BsonBoolean.FALSE;
            case "_minkey" -> new BsonMinKey();
            case "_maxkey" -> new BsonMaxKey();
            default -> parsePlain(text);
        };
    }

    private BsonValue parsePlain(String text) {
        return switch (this) {
            case STRING_OID -> ObjectId.isValid(text) ? new BsonObjectId(new ObjectId(text)) : new BsonString(text);
            case STRING -> new BsonString(text);
            case OID -> {
                if (!ObjectId.isValid(text)) {
                    throw refuse("not a valid OID");
                }
                yield new BsonObjectId(new ObjectId(text));
            }
            case NUMBER -> number(text);
            case DATE -> date(text);
            case NULL -> BsonNull.VALUE;
            case MINKEY -> new BsonMinKey();
            case MAXKEY -> new BsonMaxKey();
            case BOOLEAN -> throw refuse("not a valid BOOLEAN; use _true or _false");
        };
    }

    private static BsonValue number(String text) {
        var value = json(text, "not a valid NUMBER");
        if (!value.isNumber()) {
            throw refuse("not a valid NUMBER");
        }
        return value;
    }

    private static BsonValue date(String text) {
        var value = json(text, "not a valid DATE");
        if (value.isDateTime()) {
            return value;
        }
        if (value.getBsonType() == BsonType.INT32 || value.getBsonType() == BsonType.INT64) {
            return new BsonDateTime(value.asNumber().longValue());
        }
        throw refuse("not a valid DATE");
    }

    private static BsonValue json(String text, String otherwise) {
        try {
            return JsonParser.parse(text + " "); // numbers with exponents must not end the text
        } catch (MalformedJsonException _) {
            throw refuse(otherwise);
        }
    }

    private static ProblemException refuse(String why) {
        return Problem.of(PARAMETER_INVALID, "wrong document id format: " + why)
                .because("java.lang.IllegalArgumentException", why)
                .raise();
    }
}

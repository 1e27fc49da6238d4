package org.restheart.rest.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.parameter.DataParameter;

/// The `after` parameter: the values of the sort's fields after which a page begins. In links it is canonical Extended
/// JSON in base64url; clients that resume a broken export say the key of the last document that they have, in plain
/// JSON. With any value the filters of the request and of the access rule apply.
public final class AfterParameter {
    public static final String NAME = "after";

    /// Characters of a value.
    private static final int MAX_LENGTH = 4_096;

    private static final JsonEncoder CANONICAL = JsonEncoder.of(JsonMode.EXTENDED);

    private AfterParameter() {}

    /// @param sort whose fields the value must have, in its order
    /// @throws ProblemException 400
    public static Optional<BsonDocument> parse(Query query, BsonDocument sort) {
        var text = DataParameter.AFTER.first(query);
        if (text.isPresent() && DataParameter.PAGE.isIn(query)) {
            throw new ProblemException(PARAMETER_INVALID, "the parameters after and page exclude each other");
        }
        return text.map(token -> decode(token, sort));
    }

    private static BsonDocument decode(String token, BsonDocument sort) {
        if (token.length() > MAX_LENGTH) {
            throw illegal();
        }
        try {
            var value = token.startsWith("{")
                    ? JsonParser.parse(token)
                    : JsonParser.parse(Base64.getUrlDecoder().decode(token));
            if (value.isDocument() && isKey(value.asDocument(), sort)) {
                return value.asDocument();
            }
            throw illegal();
        } catch (IllegalArgumentException | MalformedJsonException _) {
            throw illegal();
        }
    }

    private static boolean isKey(BsonDocument key, BsonDocument sort) {
        return new ArrayList<>(key.keySet()).equals(new ArrayList<>(sort.keySet()))
                && key.values().stream().allMatch(AfterParameter::isValue);
    }

    private static boolean isValue(BsonValue value) {
        return value.getBsonType() != BsonType.ARRAY && value.getBsonType() != BsonType.UNDEFINED;
    }

    private static ProblemException illegal() {
        return new ProblemException(
                PARAMETER_INVALID, "illegal after parameter: take it from the link of a page with the same sort");
    }

    /// Empty for a key that is too long to be sent back.
    public static Optional<String> encode(BsonDocument key) {
        var json = new Utf8Buffer();
        CANONICAL.encode(key, json);
        var token = Base64.getUrlEncoder().withoutPadding().encodeToString(json.toByteArray());
        return token.length() > MAX_LENGTH ? Optional.empty() : Optional.of(token);
    }
}

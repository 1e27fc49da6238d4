package org.restheart.mongo.validator;

import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoCommandException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.schema.Schemas.StoredSchema;
import org.restheart.mongo.validator.SchemaTranslator.TranslatedSchema;
import org.restheart.mongo.validator.Validators.StoredValidator;

/// `/{db}/{collection}/_validator`: the collection's JSON Schema as MongoDB's validator. Thread-safe.
public final class CollectionValidator {
    private static final Map<String, Set<String>> OPTIONS = Map.of(
            "validationLevel", Set.of("strict", "moderate"),
            "validationAction", Set.of("error", "warn"));
    private static final Set<String> FLAGS = Set.of("weaker", "replace");

    private final Validators validators;
    private final Schemas schemas;
    private final SchemaAccess access;

    /// @param access decides whether a caller may read a schema
    public CollectionValidator(Validators validators, Schemas schemas, SchemaAccess access) {
        this.validators = validators;
        this.schemas = schemas;
        this.access = access;
    }

    /// `PUT`: makes the validator from the schema.
    public Response put(DataRequest request) {
        var wanted = request.contentDocument();
        check(wanted);
        if (validators.areRefused(request.path().requireDb(), request.path().requireCollection())) {
            throw new ProblemException(FORBIDDEN, "no validator is made for collections of accounts and permissions");
        }
        if (request.grant().projectResponse().isPresent()) {
            throw new ProblemException(
                    FORBIDDEN, "a validator would tell what is in properties that are not shown to you");
        }
        request.http().requireThread();
        var schema = schema(request)
                .orElseThrow(() -> new ProblemException(
                        CONTENT_INVALID, "the collection has no jsonSchema, from which a validator is made"));
        access.requireReadable(request, schema.key());
        var db = request.path().requireDb();
        var collection = request.path().requireCollection();
        var before = validators.find(db, collection);
        if (before.filter(found -> !found.follows()).isPresent() && !isOn(wanted, "replace")) {
            throw new ProblemException(
                    CONFLICT,
                    "the collection has a validator that was not made from its schema; \"replace\": true"
                            + " replaces it");
        }
        var translation = validators.translate(schema);
        if (!translation.isComplete() && !isOn(wanted, "weaker")) {
            throw incomplete(translation);
        }
        var options = new BsonDocument();
        OPTIONS.keySet().stream()
                .filter(wanted::containsKey)
                .sorted()
                .forEach(name -> options.append(name, wanted.get(name)));
        set(request, StoredValidator.following(schema, translation), options);
        validators.follow(db, collection); // the schema may have changed meanwhile
        return validators
                .find(db, collection)
                .map(stored -> JsonResponses.of(request, before.isEmpty() ? 201 : 200, shown(schema, stored)))
                .orElseGet(() -> JsonResponses.empty(200));
    }

    private void set(DataRequest request, BsonDocument validator, BsonDocument options) {
        try {
            validators.set(request.path().requireDb(), request.path().requireCollection(), validator, options);
        } catch (MongoCommandException e) {
            if (MongoCodes.isOfDeployment(e.getErrorCode()) || e.getErrorCode() == MongoCodes.UNAUTHORIZED) {
                throw e;
            }
            throw Problem.of(UNPROCESSABLE, "MongoDB does not take the validator")
                    .because("com.mongodb.MongoCommandException", MongoErrors.details(e))
                    .raise();
        }
    }

    /// `GET`: the validator, and whether it holds all of the schema.
    public Response get(DataRequest request) {
        request.http().requireThread();
        var stored = following(request);
        var schema = schema(request).orElseThrow(CollectionValidator::missing);
        access.requireReadable(request, schema.key());
        return JsonResponses.of(request, 200, shown(schema, stored));
    }

    /// `DELETE`: removes the validator; the gateway goes on checking.
    public Response delete(DataRequest request) {
        request.http().requireThread();
        following(request);
        set(request, new BsonDocument(), new BsonDocument());
        return JsonResponses.empty(204);
    }

    private StoredValidator following(DataRequest request) {
        return validators
                .find(request.path().requireDb(), request.path().requireCollection())
                .filter(StoredValidator::follows)
                .orElseThrow(CollectionValidator::missing);
    }

    private static RuntimeException missing() {
        return new ProblemException(NOT_FOUND, "the collection has no validator that was made from its schema");
    }

    private Optional<StoredSchema> schema(DataRequest request) {
        return request.resource()
                .properties()
                .flatMap(properties -> schemas.named(request.path().requireDb(), properties));
    }

    private BsonDocument shown(StoredSchema schema, StoredValidator stored) {
        var translation = validators.translate(schema);
        return new BsonDocument("_id", new BsonString("_validator"))
                .append("schema", new BsonString(schema.key().uri()))
                .append(
                        "current",
                        BsonBoolean.valueOf(stored.validator().equals(StoredValidator.following(schema, translation))))
                .append("complete", BsonBoolean.valueOf(translation.isComplete()))
                .append("leftOut", StoredValidator.texts(translation))
                .append("validationLevel", new BsonString(stored.level()))
                .append("validationAction", new BsonString(stored.action()))
                .append("validator", stored.validator());
    }

    private static RuntimeException incomplete(TranslatedSchema translation) {
        return Problem.of(
                        UNPROCESSABLE,
                        "MongoDB cannot express all of the schema; \"weaker\": true leaves out what it cannot")
                .withWarnings(translation.leftOut().stream()
                        .map(TranslatedSchema.LeftOut::text)
                        .toList())
                .raise();
    }

    private static boolean isOn(BsonDocument content, String flag) {
        return BsonBoolean.TRUE.equals(content.get(flag));
    }

    private static void check(BsonDocument content) {
        content.forEach((name, value) -> {
            var values = OPTIONS.get(name);
            boolean legal = values == null ? FLAGS.contains(name) && value.isBoolean() : isOneOf(value, values);
            if (!legal) {
                throw new ProblemException(
                        CONTENT_INVALID,
                        "illegal " + name + "; there are weaker and replace (booleans), validationLevel (strict"
                                + " or moderate) and validationAction (error or warn)");
            }
        });
    }

    private static boolean isOneOf(BsonValue value, Set<String> values) {
        return value.isString() && values.contains(value.asString().getValue());
    }
}

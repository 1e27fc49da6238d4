package org.restheart.rest.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.INDEX_PROTECTED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.client.model.DropIndexOptions;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.FoundWarnings;
import org.restheart.http.KnownKeys;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.Collations;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.text.ShortText;

/// Writes of `/{db}/{collection}/_indexes/{name}`. Thread-safe.
public record IndexHandlers(RequestCollections collections) {
    /// `PUT`: creates an index. Creating the same one again changes nothing.
    public Response put(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw new ProblemException(PARAMETER_INVALID, "index name cannot start with _");
        }
        var index = IndexSpecification.of(
                name, request.contentDocument(), warning -> FoundWarnings.add(request.http(), warning));
        HiddenFields.checkIndex(request, index);
        request.http().requireThread();
        try {
            create(request, index);
        } catch (MongoCommandException e) {
            throw refusal(e).raise();
        }
        return JsonResponses.empty(201);
    }

    private void create(DataRequest request, BsonDocument index) {
        var database = collections.database(request.path().requireDb());
        var command = new BsonDocument(
                        "createIndexes", new BsonString(request.path().requireCollection()))
                .append("indexes", new BsonArray(List.of(index)))
                .append("writeConcern", database.getWriteConcern().asDocument());
        if (hasMembers()) { // by default each of them has to build it, also those that are away
            command.append("commitQuorum", new BsonString("majority"));
        }
        CollectionLock.require(database, request.path().requireCollection()); // a limit would end long builds, too
        BoundedConcern.requireSatisfied(database.runCommand(command, BsonDocument.class));
    }

    private boolean hasMembers() {
        return switch (collections.client().getClusterDescription().getType()) {
            case REPLICA_SET, SHARDED, LOAD_BALANCED -> true;
            case STANDALONE, UNKNOWN -> false;
        };
    }

    private static Problem refusal(MongoCommandException e) {
        if (MongoCodes.isOfDeployment(e.getErrorCode()) || e.getErrorCode() == MongoCodes.UNAUTHORIZED) {
            throw e;
        }
        var problem = Problem.of(CONTENT_INVALID, "error creating the index")
                .orElse("error creating the index: " + MongoCodes.error(e.getErrorCode()));
        return ErrorCategory.fromErrorCode(e.getErrorCode()) == ErrorCategory.DUPLICATE_KEY
                ? problem.because(
                        MongoCodes.ofCode(e.getErrorCode(), e.getErrorMessage()).message())
                : problem.because(MongoErrors.details(e));
    }

    /// `DELETE /{db}/{collection}/_indexes/{name}`: an index that does not exist is 404; names that begin
    /// with `_` are protected.
    public Response delete(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw new ProblemException(INDEX_PROTECTED, name + " is a default index and cannot be deleted");
        }
        if (name.equals("*")) { // to MongoDB this means every index
            throw missing(name);
        }
        request.http().requireThread();
        try {
            CollectionLock.within(() -> {
                collections
                        .of(request)
                        .dropIndex(
                                name,
                                new DropIndexOptions().maxTime(SessionCollection.limitMillis(), TimeUnit.MILLISECONDS));
                return name;
            });
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == MongoCodes.INDEX_NOT_FOUND) {
                throw missing(name);
            }
            throw e;
        }
        return JsonResponses.empty(204);
    }

    private static RuntimeException missing(String name) {
        return new ProblemException(NOT_FOUND, "index '" + name + "' does not exist");
    }

    /// Converts a client's specification of an index, `{"keys": {…}, "ops": {…}}`, to that of the command
    /// `createIndexes`.
    public static final class IndexSpecification {
        private IndexSpecification() {}

        private static final KnownKeys OPTIONS = KnownKeys.of("""
            background unique sparse hidden expireAfterSeconds textIndexVersion 2dsphereIndexVersion bits min max
            partialFilterExpression wildcardProjection storageEngine weights default_language language_override
            collation
            """);

        private static final KnownKeys KEYS = KnownKeys.of("keys ops");

        private static final KnownKeys COLLATION = KnownKeys.of("""
            locale caseLevel backwards normalization numericOrdering strength caseFirst alternate maxVariable
            collationStrength collationCaseFirst collationAlternate collationMaxVariable
            """);

        /// @param warnings takes texts about options without effect
        /// @throws org.restheart.http.ProblemException 400
        public static BsonDocument of(String name, BsonDocument content, Consumer<String> warnings) {
            var near = content.keySet().stream()
                    .filter(key -> KEYS.near(key).isPresent())
                    .findFirst();
            if (!content.containsKey("keys") && near.isPresent()) {
                throw new ProblemException(CONTENT_INVALID, unknown(near.get(), KEYS));
            }
            var specification = new BsonDocument("key", document(content.get("keys"), "keys must be a json object"))
                    .append("name", new BsonString(name));
            for (var key : content.keySet()) {
                if (!KEYS.known().contains(key) && !key.startsWith("_")) { // what begins so is the server's
                    warnings.accept(
                            OPTIONS.known().contains(key)
                                    ? "unknown index option " + key
                                            + "; options stand below ops: {\"keys\": …, \"ops\": {\"" + key + "\": …}}"
                                    : unknown(key, KEYS));
                }
            }
            var options = content.get("ops");
            if (options != null) {
                document(options, "ops must be a json object").forEach((option, value) -> {
                    if (OPTIONS.known().contains(option)) {
                        specification.append(option, honored(option, value, warnings));
                    } else if (!option.equals("name")) { // the path's counts
                        warnings.accept(unknown(option, OPTIONS));
                    }
                });
            }
            return specification;
        }

        private static BsonDocument document(@Nullable BsonValue value, String otherwise) {
            if (value == null || !value.isDocument()) {
                throw new ProblemException(CONTENT_INVALID, otherwise);
            }
            return value.asDocument();
        }

        private static String unknown(String name, KnownKeys keys) {
            return "unknown index option " + ShortText.of(name, 100) + keys.question(name);
        }

        /// The value that MongoDB is sent.
        private static BsonValue honored(String option, BsonValue value, Consumer<String> warnings) {
            return switch (option) {
                case "background", "unique", "sparse", "hidden" ->
                    require(value.isBoolean(), option, "true or false", value);
                case "expireAfterSeconds" -> whole(option, value, 0, Integer.MAX_VALUE);
                case "textIndexVersion", "2dsphereIndexVersion" -> whole(option, value, 1, Integer.MAX_VALUE);
                case "bits" -> whole(option, value, 1, 32);
                case "min", "max" -> {
                    double bound = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
                    yield require(Double.isFinite(bound), option, "a finite number", new BsonDouble(bound));
                }
                case "partialFilterExpression", "wildcardProjection", "storageEngine", "weights" ->
                    require(value.isDocument(), option, "an object", value);
                case "default_language", "language_override" -> require(value.isString(), option, "a text", value);
                case "collation" ->
                    collation(
                            require(value.isDocument(), option, "an object", value)
                                    .asDocument(),
                            warnings);
                default -> throw new IllegalArgumentException(option); // not one of OPTIONS
            };
        }

        private static BsonDocument collation(BsonDocument sent, Consumer<String> warnings) {
            var collation = new BsonDocument();
            sent.forEach((field, value) -> {
                if (!COLLATION.known().contains(field)) {
                    warnings.accept(
                            "unknown index option collation." + ShortText.of(field, 100) + COLLATION.question(field));
                    return;
                }
                // the older names begin with what is around them
                var bare = field.startsWith("collation") ? field.substring("collation".length()) : field;
                collation.append(bare.substring(0, 1).toLowerCase(Locale.ROOT) + bare.substring(1), value);
            });
            return Collations.of(collation, "collation").asDocument();
        }

        private static BsonValue whole(String option, BsonValue value, int min, int max) {
            double number =
                    value.isNumber() && !value.isDecimal128() ? value.asNumber().doubleValue() : Double.NaN;
            return require(
                    number == (int) number && number >= min && number <= max,
                    option,
                    "a whole number from " + min + " to " + max,
                    new BsonInt32((int) number));
        }

        private static BsonValue require(boolean fits, String option, String type, BsonValue value) {
            if (!fits) {
                throw new ProblemException(CONTENT_INVALID, "index option " + option + " must be " + type);
            }
            return value;
        }
    }
}

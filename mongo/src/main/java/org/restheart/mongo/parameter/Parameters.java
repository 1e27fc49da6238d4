package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ReadConcern;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.model.Collation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.find.Collations;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.resource.IdType;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;

/// Every query parameter of the data API, parsed and checked once. Immutable; unknown parameters are ignored.
///
/// @param id the document id of the path, if there is one
/// @param writeMode in place of the method's default
/// @param checkEtag whether a write needs the entity tag, in place of the collection's policy
/// @param collation how texts are compared, in place of the collection's default
/// @param arrayFilters which elements of arrays a change concerns
/// @param noCache `nocache`: whether the properties of databases and collections are read without the cache
public record Parameters(
        FindParameters find,
        FormatParameters format,
        ConcernParameters concerns,
        IdType idType,
        Optional<BsonValue> id,
        Optional<BsonDocument> shardKey,
        Optional<WriteMode> writeMode,
        boolean checkEtag,
        Optional<BsonDocument> aggregationVariables,
        Optional<Collation> collation,
        List<BsonDocument> arrayFilters,
        boolean noCache) {

    /// Always checks in the same order, since the first invalid parameter is reported.
    ///
    /// @throws org.restheart.http.ProblemException 400
    public static Parameters parse(Request request, ResourcePath path, Settings settings) {
        var query = request.query();
        var find = FindParameters.parse(request, settings);
        if (find.filter().isEmpty()
                && isBulkWrite(request, path)
                && request.attribute(DataWrite.KEY).isEmpty()) {
            throw new ProblemException(PARAMETER_INVALID, "filter parameter is mandatory for bulk write requests");
        }
        var variables = query.first("avars").map(text -> variables(text, settings));
        var idType = query.first("id_type").map(IdType::of).orElse(IdType.STRING_OID);
        var id = path.kind().hasId() ? Optional.of(idType.parse(path.requireName())) : Optional.<BsonValue>empty();
        var format = FormatParameters.parse(request, settings);
        return new Parameters(
                find,
                format,
                ConcernParameters.parse(query),
                idType,
                id,
                query.first("shardkey").map(Parameters::shardKey),
                query.first(query.used("wm")).flatMap(WriteMode::of),
                query.has("checkEtag"),
                variables,
                query.first("collation")
                        .map(text -> Collations.of(JsonParameter.document("collation", text), "collation parameter")),
                query.first("arrayFilters").map(JsonParameter::documents).orElse(List.of()),
                query.has("nocache"));
    }

    /// The same for the document with this id.
    public Parameters withId(BsonValue id) {
        return with(find, Optional.of(id), aggregationVariables);
    }

    /// The same without the filter's conditions on `_id`.
    public Parameters withoutIdFilter() {
        var others = find.filter().clone();
        others.remove("_id");
        return with(find.withFilter(others), id, aggregationVariables);
    }

    private Parameters with(FindParameters find, Optional<BsonValue> id, Optional<BsonDocument> variables) {
        return new Parameters(
                find,
                format,
                concerns,
                idType,
                id,
                shardKey,
                writeMode,
                checkEtag,
                variables,
                collation,
                arrayFilters,
                noCache);
    }

    private static boolean isBulkWrite(Request request, ResourcePath path) {
        return ResourceMethods.allows(path.kind(), request.method())
                && (path.kind() == ResourceKind.BULK_DOCUMENTS || path.kind() == ResourceKind.BULK_SCHEMAS);
    }

    private static BsonDocument shardKey(String text) {
        var key = JsonParameter.document("shardkey", text);
        if (key.isEmpty()) {
            throw new ProblemException(PARAMETER_INVALID, "illegal shardkey parameter (empty json object)");
        }
        return key;
    }

    /// The `avars` parameter: values a client gives to an aggregation's or a stream's variables.
    ///
    /// @throws ProblemException 400, also for operators and for reserved names
    private static BsonDocument variables(String text, Settings settings) {
        if (text.length() > JsonParameter.MAX_LENGTH) {
            throw new ProblemException(
                    PARAMETER_INVALID,
                    "illegal avars parameter (longer than " + JsonParameter.MAX_LENGTH + " characters)");
        }
        BsonValue value;
        try {
            value = JsonParser.parse(text);
        } catch (MalformedJsonException e) {
            throw noVariables(e.isAfterTheEnd() ? text + ", " + e.getMessage() : text);
        }
        if (!value.isDocument()) {
            throw noVariables(text);
        }
        return checked(value.asDocument(), text, settings);
    }

    /// The same with the variables that the query parameters of an aggregation bind; those of `avars` win.
    ///
    /// @param read the names of the aggregation's variables
    /// @throws ProblemException 400 as for `avars`
    public Parameters withVariables(Query query, Set<String> read, Settings settings) {
        var variables = UnknownParameters.variables(query, read);
        if (variables.isEmpty()) {
            return this;
        }
        checked(variables, String.join(", ", variables.keySet()), settings);
        aggregationVariables.ifPresent(variables::putAll);
        return with(find, id, Optional.of(variables));
    }

    private static BsonDocument checked(BsonDocument variables, String text, Settings settings) {
        if (settings.refuseOperators() && hasOperator(variables)) {
            throw Problem.of(PARAMETER_INVALID, "illegal avars parameter: " + text)
                    .because("java.lang.SecurityException", "aggregation variables cannot include operators")
                    .raise();
        }
        if (variables.keySet().stream().anyMatch(name -> name.startsWith("@"))) {
            throw new ProblemException(
                    PARAMETER_INVALID,
                    "illegal avars parameter: names that start with @ belong to the server: " + text);
        }
        return variables;
    }

    private static ProblemException noVariables(String text) {
        return new ProblemException(PARAMETER_INVALID, "illegal avars parameter, it is not a json object: " + text);
    }

    /// Whether it has keys that begin with `$`, or values that are operators: Extended JSON parses such keys to
    /// regular expressions and code.
    private static boolean hasOperator(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT ->
                value.asDocument().entrySet().stream()
                        .anyMatch(entry -> entry.getKey().startsWith("$") || hasOperator(entry.getValue()));
            case ARRAY -> value.asArray().stream().anyMatch(Parameters::hasOperator);
            case REGULAR_EXPRESSION, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE -> true;
            default -> false;
        };
    }

    /// The concerns and read preference of a request, in place of the deployment's defaults. Unknown names are ignored.
    public record ConcernParameters(
            Optional<ReadConcern> readConcern,
            Optional<ReadPreference> readPreference,
            Optional<WriteConcern> writeConcern) {

        /// Texts about names that are unknown and therefore have no effect.
        static List<String> withoutEffect(Query query) {
            var all = new ArrayList<String>();
            query.first("readConcern")
                    .filter(name -> readConcern(name).isEmpty())
                    .ifPresent(
                            _ -> all.add(text("readConcern", "local, available, majority, linearizable or snapshot")));
            query.first("readPreference")
                    .filter(name -> readPreference(name).isEmpty())
                    .ifPresent(_ -> all.add(text(
                            "readPreference", "primary, primaryPreferred, secondary, secondaryPreferred or nearest")));
            query.first("writeConcern")
                    .filter(name -> writeConcern(name).isEmpty())
                    .ifPresent(_ -> all.add(
                            text("writeConcern", "ACKNOWLEDGED, W1, W2, W3, UNACKNOWLEDGED, JOURNALED or MAJORITY")));
            return all;
        }

        private static String text(String parameter, String values) {
            return "illegal " + parameter + " parameter, which has no effect (must be " + values + ")";
        }

        static ConcernParameters parse(Query query) {
            return new ConcernParameters(
                    query.first("readConcern").flatMap(ConcernParameters::readConcern),
                    query.first("readPreference").flatMap(ConcernParameters::readPreference),
                    query.first("writeConcern").flatMap(ConcernParameters::writeConcern));
        }

        private static Optional<ReadConcern> readConcern(String name) {
            return known(() -> new ReadConcern(ReadConcernLevel.fromString(name.toLowerCase(Locale.ROOT))));
        }

        private static Optional<ReadPreference> readPreference(String name) {
            return known(() -> ReadPreference.valueOf(name.toLowerCase(Locale.ROOT)));
        }

        /// @param value throws an [IllegalArgumentException] for an unknown name
        private static <T> Optional<T> known(Supplier<T> value) {
            try {
                return Optional.of(value.get());
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }

        private static Optional<WriteConcern> writeConcern(String name) {
            return switch (name.toUpperCase(Locale.ROOT)) {
                case "ACKNOWLEDGED" -> Optional.of(WriteConcern.ACKNOWLEDGED);
                case "W1" -> Optional.of(WriteConcern.W1);
                case "W2" -> Optional.of(BoundedConcern.W2);
                case "W3" -> Optional.of(BoundedConcern.W3);
                case "UNACKNOWLEDGED" -> Optional.of(WriteConcern.UNACKNOWLEDGED);
                case "JOURNALED" -> Optional.of(WriteConcern.JOURNALED);
                case "MAJORITY" -> Optional.of(BoundedConcern.MAJORITY);
                default -> Optional.empty();
            };
        }
    }

    /// Defaults and bounds of parameters.
    ///
    /// @param pageSize documents per page by default
    /// @param maxPageSize the largest `pagesize`
    /// @param shortcuts how deep pages are found by default
    /// @param refuseOperators whether `avars` may not contain `$` operators
    /// @param strict whether unknown parameters are refused
    public record Settings(
            Representation representation,
            int pageSize,
            int maxPageSize,
            Shortcuts shortcuts,
            boolean refuseOperators,
            boolean strict) {}

    /// What a write does when its document exists or does not: the `wm` parameter.
    public enum WriteMode {
        INSERT,
        UPDATE,
        UPSERT;

        /// Empty for an unknown name, which means the method's default.
        static Optional<WriteMode> of(String name) {
            return switch (name.toLowerCase(Locale.ROOT)) {
                case "insert" -> Optional.of(INSERT);
                case "update" -> Optional.of(UPDATE);
                case "upsert" -> Optional.of(UPSERT);
                default -> Optional.empty();
            };
        }
    }
}

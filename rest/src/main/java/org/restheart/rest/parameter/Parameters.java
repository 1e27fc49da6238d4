package org.restheart.rest.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.parameter.DataParameter.ARRAY_FILTERS;
import static org.restheart.http.parameter.DataParameter.CHECK_ETAG;
import static org.restheart.http.parameter.DataParameter.COLLATION;
import static org.restheart.http.parameter.DataParameter.FILTER;
import static org.restheart.http.parameter.DataParameter.ID_TYPE;
import static org.restheart.http.parameter.DataParameter.JSON_MODE;
import static org.restheart.http.parameter.DataParameter.READ_CONCERN;
import static org.restheart.http.parameter.DataParameter.READ_PREFERENCE;
import static org.restheart.http.parameter.DataParameter.SHARD_KEY;
import static org.restheart.http.parameter.DataParameter.VARIABLES_OF_PIPELINE;
import static org.restheart.http.parameter.DataParameter.WITHOUT_CACHE;
import static org.restheart.http.parameter.DataParameter.WRITE_CONCERN;
import static org.restheart.http.parameter.DataParameter.WRITE_MODE;

import com.mongodb.ReadConcern;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.model.Collation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.ParameterValues;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.find.Collations;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.write.WriteMode;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.resource.IdType;
import org.restheart.rest.resource.ResourceMethods;
import org.restheart.rest.resource.ResourcePath;

/// Every query parameter of the data API, parsed and checked once ([DataParameter]). Immutable; unknown parameters are
/// ignored.
///
/// @param id the document id of the path, if there is one
/// @param aggregationVariables of `avars`, and those that the query binds by their names
public record Parameters(
        ParameterValues values,
        FindParameters find,
        FormatParameters format,
        Optional<BsonValue> id,
        Optional<BsonDocument> aggregationVariables) {

    /// @throws org.restheart.http.ProblemException 400 for the first value that is wrong
    public static Parameters parse(Request request, ResourcePath path, Settings settings) {
        int most = request.attribute(Slice.KEY).map(Slice::limit).orElse(settings.maxPageSize()); // checked already
        var values = ParameterValues.parse(request.query(), most, (parameter, sent) -> {
            switch (parameter) {
                case VARIABLES_OF_PIPELINE ->
                    sent.documents(parameter)
                            .forEach(variables -> checked(
                                    variables, parameter.first(request.query()).orElse(""), settings));
                case ID_TYPE -> id(sent, path);
                case COLLATION -> collation(sent);
                default -> {}
            }
        });
        if (!values.has(FILTER) && isBulkWrite(request, path) && !Via.isService(request)) {
            throw new ProblemException(PARAMETER_INVALID, "filter parameter is mandatory for bulk write requests");
        }
        return new Parameters(
                values,
                FindParameters.of(request, values, settings),
                FormatParameters.of(request, values, settings),
                id(values, path),
                first(values, VARIABLES_OF_PIPELINE));
    }

    private static Optional<BsonValue> id(ParameterValues values, ResourcePath path) {
        return path.kind().hasId() ? Optional.of(idType(values).parse(path.requireName())) : Optional.empty();
    }

    private static Optional<BsonDocument> first(ParameterValues values, DataParameter parameter) {
        var all = values.documents(parameter);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
    }

    public IdType idType() {
        return idType(values);
    }

    private static IdType idType(ParameterValues values) {
        return values.choice(ID_TYPE).map(IdType::valueOf).orElse(IdType.STRING_OID);
    }

    public ConcernParameters concerns() {
        return ConcernParameters.of(values);
    }

    public Optional<BsonDocument> shardKey() {
        return first(values, SHARD_KEY);
    }

    /// In place of the method's default.
    public Optional<WriteMode> writeMode() {
        return values.choice(WRITE_MODE).map(mode -> WriteMode.valueOf(mode.toUpperCase(Locale.ROOT)));
    }

    /// Whether a write needs the entity tag, in place of the collection's policy.
    public boolean checkEtag() {
        return values.isOn(CHECK_ETAG);
    }

    /// How texts are compared, in place of the collection's default.
    public Optional<Collation> collation() {
        return collation(values);
    }

    private static Optional<Collation> collation(ParameterValues values) {
        return first(values, COLLATION).map(written -> Collations.of(written, "collation parameter"));
    }

    /// Which elements of arrays a change concerns.
    public List<BsonDocument> arrayFilters() {
        return values.documents(ARRAY_FILTERS);
    }

    /// Whether the properties of databases and collections are read without the cache.
    public boolean noCache() {
        return values.isOn(WITHOUT_CACHE);
    }

    /// The same for the document with this id.
    public Parameters withId(BsonValue id) {
        return new Parameters(values, find, format, Optional.of(id), aggregationVariables);
    }

    /// The same with the JSON mode that the properties of the collection name, unless the request has one.
    public Parameters withDefaultMode(Optional<JsonMode> ofCollection) {
        return ofCollection.isEmpty() || values.has(JSON_MODE)
                ? this
                : new Parameters(values, find, format.with(ofCollection.get()), id, aggregationVariables);
    }

    /// The same without the filter's conditions on `_id`.
    public Parameters withoutIdFilter() {
        var others = find.filter().clone();
        others.remove("_id");
        return new Parameters(values, find.withFilter(others), format, id, aggregationVariables);
    }

    private static boolean isBulkWrite(Request request, ResourcePath path) {
        return ResourceMethods.allows(path.kind(), request.method())
                && (path.kind() == ResourceKind.BULK_DOCUMENTS || path.kind() == ResourceKind.BULK_SCHEMAS);
    }

    /// The same with the variables that the query parameters of an aggregation bind; those of `avars` win.
    ///
    /// @param read the names of the aggregation's variables
    /// @throws ProblemException 400 as for `avars`
    public Parameters withVariables(Query query, Set<String> read, Settings settings) {
        var variables = ParameterWarnings.variables(query, read);
        if (variables.isEmpty()) {
            return this;
        }
        checked(variables, String.join(", ", variables.keySet()), settings);
        aggregationVariables.ifPresent(variables::putAll);
        return new Parameters(values, find, format, id, Optional.of(variables));
    }

    /// Refuses operators and reserved names.
    private static void checked(BsonDocument variables, String text, Settings settings) {
        if (settings.refuseOperators() && hasOperator(variables)) {
            throw Problem.of(PARAMETER_INVALID, "illegal avars parameter: " + text)
                    .because("aggregation variables cannot include operators")
                    .raise();
        }
        if (variables.keySet().stream().anyMatch(name -> name.startsWith("@"))) {
            throw new ProblemException(
                    PARAMETER_INVALID,
                    "illegal avars parameter: names that start with @ belong to the server: " + text);
        }
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

        static ConcernParameters of(ParameterValues values) {
            return new ConcernParameters(
                    values.choice(READ_CONCERN).map(name -> new ReadConcern(ReadConcernLevel.fromString(name))),
                    values.choice(READ_PREFERENCE).map(ReadPreference::valueOf),
                    values.choice(WRITE_CONCERN).map(ConcernParameters::writeConcern));
        }

        private static WriteConcern writeConcern(String name) {
            return switch (name) {
                case "W1" -> WriteConcern.W1;
                case "W2" -> BoundedConcern.W2;
                case "W3" -> BoundedConcern.W3;
                case "UNACKNOWLEDGED" -> WriteConcern.UNACKNOWLEDGED;
                case "JOURNALED" -> WriteConcern.JOURNALED;
                case "MAJORITY" -> BoundedConcern.MAJORITY;
                default -> WriteConcern.ACKNOWLEDGED;
            };
        }
    }

    /// @param pageSize documents per page by default
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
}

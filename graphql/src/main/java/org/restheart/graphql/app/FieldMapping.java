package org.restheart.graphql.app;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The mapping of a field of a type. Immutable.
public sealed interface FieldMapping {

    /// A value of the parent document.
    record Path(ValuePath path) implements FieldMapping {
        /// Empty if the document has no such value.
        public Optional<BsonValue> find(BsonValue parent) {
            return path.find(parent);
        }
    }

    /// A collection and the rights with which it is read.
    ///
    /// @param asCaller with the caller's access rules for the collection, instead of without any
    record Source(MongoNamespace namespace, boolean asCaller, Loading loading) {}

    /// How the executions of one field within one request are loaded.
    ///
    /// @param declared whether the definition says so
    /// @param maxBatch at least 1
    record Loading(boolean declared, boolean batching, boolean caching, int maxBatch) {
        private static final int MAX_BATCH = 500;

        /// The default.
        static final Loading USUAL = new Loading(false, true, true, MAX_BATCH);

        static Loading of(BsonDocument declared) {
            boolean batching = isTrue(declared, "batching");
            var size = declared.get("maxBatchSize");
            int max = batching && size != null && size.isNumber()
                    ? size.asNumber().intValue()
                    : MAX_BATCH;
            return new Loading(true, batching, batching && isTrue(declared, "caching"), Math.clamp(max, 1, MAX_BATCH));
        }

        private static boolean isTrue(BsonDocument document, String key) {
            var value = document.get(key);
            return value != null && value.isBoolean() && value.asBoolean().getValue();
        }
    }

    /// A query for documents.
    ///
    /// @param sort null for none; likewise the others
    record Find(
            Source source,
            Template find,
            @Nullable Template sort,
            @Nullable Template skip,
            @Nullable Template limit) implements FieldMapping {
        /// @throws org.restheart.http.ProblemException 400
        public BsonDocument filter(MappingVariables variables) {
            return document(find.fill(variables), "find");
        }

        /// @throws org.restheart.http.ProblemException 400
        public BsonDocument order(MappingVariables variables) {
            return sort == null ? new BsonDocument() : document(sort.fill(variables), "sort");
        }

        private static BsonDocument document(BsonValue value, String what) {
            if (!value.isDocument()) {
                throw VariablePlaces.refusal(what + " must be an object");
            }
            return value.asDocument();
        }

        /// @throws org.restheart.http.ProblemException 400
        public int offset(MappingVariables variables) {
            int offset = skip == null ? 0 : int32(skip.fill(variables), "skip", 0);
            if (offset < 0) {
                throw VariablePlaces.refusal("skip must not be negative");
            }
            return offset;
        }

        /// From 1 to `max`.
        ///
        /// @throws org.restheart.http.ProblemException 400
        public int size(MappingVariables variables, int otherwise, int max) {
            int size = limit == null ? otherwise : int32(limit.fill(variables), "limit", otherwise);
            if (size > max) {
                throw VariablePlaces.refusal("Query variable cannot be greater than " + max);
            }
            if (size < 0) {
                throw VariablePlaces.refusal("limit must not be negative");
            }
            return size == 0 ? max : size;
        }

        private static int int32(BsonValue value, String what, int otherwise) {
            if (value.isNull()) {
                return otherwise;
            }
            if (value.isInt32()) {
                return value.asInt32().getValue();
            }
            if (value.isNumber()
                    && value.asNumber().doubleValue() == value.asNumber().intValue()) {
                return value.asNumber().intValue();
            }
            throw VariablePlaces.refusal(what + " must be an integer");
        }
    }

    /// The results of a pipeline.
    record Pipeline(Source source, StageTemplates stages, boolean allowDiskUse) implements FieldMapping {
        /// @throws org.restheart.http.ProblemException 400
        public List<BsonDocument> fill(MappingVariables variables) {
            return stages.fill(variables);
        }
    }

    /// A change stream that a collection declares, for a field of `Subscription`. It is listened to with the caller's
    /// access rules.
    ///
    /// @param uri its name
    /// @param variables values of the stream's own variables; null for none
    /// @param path of the field's value in the event; null for the whole event
    record Stream(
            MongoNamespace namespace,
            String uri,
            @Nullable Template variables,
            @Nullable ValuePath path) implements FieldMapping {
        /// The values of the stream's variables.
        ///
        /// @throws org.restheart.http.ProblemException 400
        public Optional<BsonValue> bound(MappingVariables values) {
            return Optional.ofNullable(variables).map(template -> template.fill(values));
        }

        /// The field's value; empty if the event does not have it.
        public Optional<BsonValue> value(BsonDocument event) {
            return path == null ? Optional.of(event) : path.find(event);
        }
    }

    /// Parses a mapping of a definition.
    final class Reader {
        private static final String STREAM = "stream";
        private static final String AVARS = "avars";
        private static final String STAGES = "stages";
        private final String place;
        private final Limits limits;

        /// @param place such as `Query.items`
        Reader(String place, Limits limits) {
            this.place = place;
            this.limits = limits;
        }

        FieldMapping read(BsonValue value) throws InvalidApp {
            if (value.isString()) {
                return new Path(ValuePath.parse(value.asString().getValue()));
            }
            if (!value.isDocument()) {
                throw new InvalidApp(
                        "The mapping for " + place + " must be a String or a Document, but it is a " + name(value));
            }
            var mapping = value.asDocument();
            var namespace = new MongoNamespace(name(mapping, "db"), name(mapping, "collection"));
            if (limits.onlyDatabase()
                    .filter(db -> !db.equals(namespace.getDatabaseName()))
                    .isPresent()) {
                throw new InvalidApp("The mapping for " + place + " uses the database " + namespace.getDatabaseName()
                        + ", only " + limits.onlyDatabase().get() + " is allowed");
            }
            if (mapping.containsKey(STREAM)) {
                return stream(mapping, namespace);
            }
            boolean operators = flag(mapping, "allowOperators") || limits.allowOperators();
            var source = new Source(namespace, asCaller(mapping), loading(mapping));
            var stages = mapping.get(STAGES);
            return stages == null ? find(mapping, source, operators) : pipeline(mapping, stages, source, operators);
        }

        private FieldMapping stream(BsonDocument mapping, MongoNamespace namespace) throws InvalidApp {
            if (!place.startsWith("Subscription.")) {
                throw new InvalidApp(
                        "The mapping for " + place + " is to a stream, which only fields of Subscription are");
            }
            for (var key : List.of("find", STAGES)) {
                if (mapping.containsKey(key)) {
                    throw new InvalidApp("The mapping for " + place + " has both '" + STREAM + "' and '" + key + "'");
                }
            }
            if (mapping.containsKey("as") && !asCaller(mapping)) {
                throw new InvalidApp("The mapping for " + place + " must have 'caller' as the property 'as', if any:"
                        + " streams are listened to as their callers");
            }
            var uri = name(mapping, STREAM);
            if (uri.contains("/")) {
                throw new InvalidApp(
                        "The mapping for " + place + " has no valid name in the property '" + STREAM + "'");
            }
            var variables = mapping.get(AVARS);
            require(mapping, AVARS, variables == null || variables.isDocument(), "Document");
            var path = mapping.get("path");
            require(mapping, "path", path == null || path.isString(), "String");
            return new Stream(
                    namespace,
                    uri,
                    variables == null
                            ? null
                            : template(AVARS, variables, Template.Position.VALUES, flag(mapping, "allowOperators")),
                    path == null ? null : ValuePath.parse(path.asString().getValue()));
        }

        private String name(BsonDocument mapping, String key) throws InvalidApp {
            var name = mapping.get(key);
            if (name == null) {
                throw new InvalidApp("The mapping for " + place + " does not specify the property '" + key + "'."
                        + DefinitionKeys.misspeltInMapping(key, mapping));
            }
            require(mapping, key, name.isString(), "String");
            var text = name.asString().getValue();
            if (!isName(key, text)) {
                throw new InvalidApp("The mapping for " + place + " has no valid name in the property '" + key + "'");
            }
            return text;
        }

        private static boolean isName(String key, String text) {
            try {
                if (key.equals("db")) {
                    MongoNamespace.checkDatabaseNameValidity(text);
                }
                return !text.isEmpty() && text.indexOf('\0') < 0;
            } catch (IllegalArgumentException _) {
                return false;
            }
        }

        private boolean asCaller(BsonDocument mapping) throws InvalidApp {
            var as = mapping.get("as");
            if (as == null) {
                return limits.asCaller();
            }
            require(mapping, "as", as.isString(), "String");
            return switch (as.asString().getValue()) {
                case "caller" -> true;
                case "app" -> false;
                default ->
                    throw new InvalidApp(
                            "The mapping for " + place + " requires the property 'as' to be 'app' or 'caller'");
            };
        }

        private Loading loading(BsonDocument mapping) throws InvalidApp {
            var declared = mapping.get("dataLoader");
            if (declared == null) {
                return Loading.USUAL;
            }
            if (declared.isBoolean() && !declared.asBoolean().getValue()) {
                return new Loading(true, false, false, 1);
            }
            require(mapping, "dataLoader", declared.isDocument(), "Document");
            return Loading.of(declared.asDocument());
        }

        private FieldMapping find(BsonDocument mapping, Source source, boolean operators) throws InvalidApp {
            var find = mapping.getOrDefault("find", new BsonDocument());
            require(mapping, "find", find.isDocument(), "Document");
            var sort = mapping.get("sort");
            require(mapping, "sort", sort == null || sort.isDocument(), "Document");
            var skip = mapping.get("skip");
            require(mapping, "skip", skip == null || skip.isDocument() || skip.isNumber(), "Document or a number");
            var limit = mapping.get("limit");
            require(mapping, "limit", limit == null || limit.isDocument() || limit.isInt32(), "Document or an int32");
            if (limit != null && limit.isInt32()) {
                checkLimit(limit.asInt32().getValue());
            }
            return new Find(
                    source,
                    template("find", find, Template.Position.FILTER, operators),
                    sort == null ? null : template("sort", sort, Template.Position.PLAIN, operators),
                    skip == null ? null : template("skip", skip, Template.Position.PLAIN, operators),
                    limit == null ? null : template("limit", limit, Template.Position.PLAIN, operators));
        }

        private void checkLimit(int limit) throws InvalidApp {
            if (limit > limits.maxLimit()) {
                throw new InvalidApp("Error with field 'limit' of type "
                        + place.substring(0, place.indexOf('.')) + ", value cannot be grater than "
                        + limits.maxLimit());
            }
            if (limit < 0) {
                throw new InvalidApp("The mapping for " + place + " has a negative limit");
            }
        }

        private FieldMapping pipeline(BsonDocument mapping, BsonValue stages, Source source, boolean operators)
                throws InvalidApp {
            require(mapping, STAGES, stages.isArray(), "Array");
            try {
                return new Pipeline(
                        source, StageTemplates.of(stages.asArray(), operators), flag(mapping, "allowDiskUse"));
            } catch (InvalidApp e) {
                throw new InvalidApp("The mapping for " + place + " is wrong in 'stages': " + e.getMessage());
            }
        }

        private Template template(String key, BsonValue value, Template.Position position, boolean operators)
                throws InvalidApp {
            try {
                return Template.of(value, position, operators);
            } catch (InvalidApp e) {
                throw new InvalidApp("The mapping for " + place + " is wrong in '" + key + "': " + e.getMessage());
            }
        }

        private boolean flag(BsonDocument mapping, String key) throws InvalidApp {
            var value = mapping.get(key);
            require(mapping, key, value == null || value.isBoolean(), "Boolean");
            return value != null && value.asBoolean().getValue();
        }

        private void require(BsonDocument mapping, String key, boolean holds, String type) throws InvalidApp {
            if (!holds) {
                throw new InvalidApp("The mapping for " + place + " requires the property '" + key + "' to be a " + type
                        + " but it is a " + name(mapping.get(key)));
            }
        }

        private static String name(@Nullable BsonValue value) {
            return value == null ? "missing value" : value.getBsonType().name();
        }
    }
}

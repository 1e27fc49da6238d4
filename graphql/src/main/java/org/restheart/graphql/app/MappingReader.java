package org.restheart.graphql.app;

import com.mongodb.MongoNamespace;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.TemplateVariables.Template;

/// Reads the mapping of one field from a definition, and refuses what is wrong with it. Confined to one thread.
///
/// @param place such as `Query.items`
record MappingReader(String place, Apps.Limits limits) {
    private static final String STREAM = "stream";
    private static final String AVARS = "avars";
    private static final String STAGES = "stages";

    FieldMapping read(BsonValue value) throws InvalidApp {
        if (value.isString()) {
            return new FieldMapping.Path(ValuePath.parse(value.asString().getValue()));
        }
        if (!value.isDocument()) {
            throw wrong(" must be a String or a Document, but it is a " + name(value));
        }
        var mapping = value.asDocument();
        var namespace = new MongoNamespace(name(mapping, "db"), name(mapping, "collection"));
        if (limits.onlyDatabase()
                .filter(db -> !db.equals(namespace.getDatabaseName()))
                .isPresent()) {
            throw wrong(" uses the database " + namespace.getDatabaseName() + ", only "
                    + limits.onlyDatabase().get() + " is allowed");
        }
        if (mapping.containsKey(STREAM)) {
            return stream(mapping, namespace);
        }
        boolean operators = flag(mapping, "allowOperators") || limits.allowOperators();
        var source = new FieldMapping.Source(namespace, asCaller(mapping), loading(mapping));
        var stages = mapping.get(STAGES);
        return stages == null ? find(mapping, source, operators) : pipeline(mapping, stages, source, operators);
    }

    private FieldMapping stream(BsonDocument mapping, MongoNamespace namespace) throws InvalidApp {
        if (!place.startsWith("Subscription.")) {
            throw wrong(" is to a stream, which only fields of Subscription are");
        }
        for (var key : List.of("find", STAGES)) {
            if (mapping.containsKey(key)) {
                throw wrong(" has both '" + STREAM + "' and '" + key + "'");
            }
        }
        if (mapping.containsKey("as") && !asCaller(mapping)) {
            throw wrong(
                    " must have 'caller' as the property 'as', if any:" + " streams are listened to as their callers");
        }
        var uri = name(mapping, STREAM);
        if (uri.contains("/")) {
            throw wrong(" has no valid name in the property '" + STREAM + "'");
        }
        var variables = mapping.get(AVARS);
        require(mapping, AVARS, variables == null || variables.isDocument(), "Document");
        var path = mapping.get("path");
        require(mapping, "path", path == null || path.isString(), "String");
        return new FieldMapping.Stream(
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
            throw wrong(
                    " does not specify the property '" + key + "'." + DefinitionKeys.misspeltInMapping(key, mapping));
        }
        require(mapping, key, name.isString(), "String");
        var text = name.asString().getValue();
        if (!isName(key, text)) {
            throw wrong(" has no valid name in the property '" + key + "'");
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
            default -> throw wrong(" requires the property 'as' to be 'app' or 'caller'");
        };
    }

    private FieldMapping.Loading loading(BsonDocument mapping) throws InvalidApp {
        var declared = mapping.get("dataLoader");
        if (declared == null) {
            return FieldMapping.Loading.USUAL;
        }
        if (declared.isBoolean() && !declared.asBoolean().getValue()) {
            return new FieldMapping.Loading(true, false, false, 1);
        }
        require(mapping, "dataLoader", declared.isDocument(), "Document");
        return FieldMapping.Loading.of(declared.asDocument());
    }

    private FieldMapping find(BsonDocument mapping, FieldMapping.Source source, boolean operators) throws InvalidApp {
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
        return new FieldMapping.Find(
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
            throw wrong(" has a negative limit");
        }
    }

    private FieldMapping pipeline(BsonDocument mapping, BsonValue stages, FieldMapping.Source source, boolean operators)
            throws InvalidApp {
        require(mapping, STAGES, stages.isArray(), "Array");
        try {
            return new FieldMapping.Pipeline(
                    source, StageTemplates.of(stages.asArray(), operators), flag(mapping, "allowDiskUse"));
        } catch (InvalidApp e) {
            throw wrong(" is wrong in 'stages': " + e.getMessage());
        }
    }

    private Template template(String key, BsonValue value, Template.Position position, boolean operators)
            throws InvalidApp {
        try {
            return Template.of(value, position, operators);
        } catch (InvalidApp e) {
            throw wrong(" is wrong in '" + key + "': " + e.getMessage());
        }
    }

    private boolean flag(BsonDocument mapping, String key) throws InvalidApp {
        var value = mapping.get(key);
        require(mapping, key, value == null || value.isBoolean(), "Boolean");
        return value != null && value.asBoolean().getValue();
    }

    private void require(BsonDocument mapping, String key, boolean holds, String type) throws InvalidApp {
        if (!holds) {
            throw wrong(
                    " requires the property '" + key + "' to be a " + type + " but it is a " + name(mapping.get(key)));
        }
    }

    private InvalidApp wrong(String what) {
        return new InvalidApp("The mapping for " + place + what);
    }

    private static String name(@Nullable BsonValue value) {
        return value == null ? "missing value" : value.getBsonType().name();
    }
}

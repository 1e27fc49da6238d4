package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonTypes;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;
import org.restheart.openapi.VisibleResources.StoredSchema;
import org.restheart.rest.description.Descriptions.CollectionStructure;
import org.restheart.text.Words;

/// The schemas of a collection's documents: as they are read, new ones, and changes. Components are created on first
/// reference. Confined to one OpenAPI document.
///
/// @param name of the component of stored documents
/// @param secrets properties that are written and never read
record DocumentSchemas(Components components, ShapeSchemas shapes, Group group, String name, Set<String> secrets) {
    private DeclaredDocuments declarations() {
        return new DeclaredDocuments(components, group);
    }

    BsonDocument stored() {
        if (!components.has(name)) {
            components.put(name, type("object")); // for references to itself
            components.put(name, storedSchema());
        }
        return Json.schema(name);
    }

    private BsonDocument storedSchema() {
        var redaction = SchemaRedaction.by(rules(Method.GET), components);
        var schema = type("object");
        var properties = new BsonDocument();
        var declared = declarations().schema();
        declared.ifPresent(
                found -> addDeclared(declarations().convert(found.schema(), name), redaction, schema, properties));
        boolean closed = declared.filter(
                        found -> BsonBoolean.FALSE.equals(found.schema().get("additionalProperties")))
                .isPresent();
        if (!closed) {
            var seen = shapes.properties(group.shape().root(), name, Set.copyOf(properties.keySet()));
            seen.forEach((property, inner) -> {
                if (property.equals("_id") || property.equals("_etag") || redaction.shows(property)) {
                    properties.putIfAbsent(property, inner);
                }
            });
        }
        if (redaction.shows("_etag")) {
            properties.put("_etag", components.fixed("ObjectId").append("readOnly", BsonValues.value(true)));
        }
        secrets.forEach(properties::remove);
        notes(properties);
        var ordered = new BsonDocument();
        if (redaction.shows("_id")) {
            ordered.append("_id", properties.getOrDefault("_id", new BsonDocument()));
        }
        properties.forEach(ordered::putIfAbsent);
        schema.append("properties", ordered);
        if (redaction.shows("_id")) {
            schema.append("required", array("_id"));
        }
        if (declared.isEmpty() && group.shape().documents() == 0) {
            schema.putIfAbsent("description", new BsonString("Nothing is known of these documents."));
        }
        return schema;
    }

    private static void addDeclared(
            BsonDocument declared, SchemaRedaction redaction, BsonDocument schema, BsonDocument properties) {
        for (var key : List.of("title", "description")) {
            if (declared.containsKey(key)) {
                schema.append(key, declared.get(key));
            }
        }
        declared.getDocument("properties", new BsonDocument()).forEach((property, inner) -> {
            if (redaction.shows(property)) {
                properties.append(property, redaction.redacted(inner, property));
            }
        });
    }

    private List<RuleDecision> rules(Method method) {
        return group.offered().stream()
                .filter(offered -> offered.operation().method() == method)
                .filter(offered -> switch (offered.operation().kind()) {
                    case COLLECTION, DOCUMENT, FILES_BUCKET, FILE, SCHEMA_STORE, SCHEMA, BULK_DOCUMENTS -> true;
                    default -> false;
                })
                .flatMap(offered -> offered.permitted().possible().stream())
                .toList();
    }

    /// Properties with index types.
    private void notes(BsonDocument properties) {
        for (var index : group.indexes()) {
            var keys = index.getDocument("key");
            if (keys.size() != 1) {
                continue;
            }
            var field = keys.getFirstKey();
            if (!(properties.get(field) instanceof BsonDocument schema) || field.equals("_id")) {
                continue;
            }
            if (new BsonString("2dsphere").equals(keys.get(field))) {
                properties.put(field, components.fixed("GeoJson"));
            } else if (BsonBoolean.TRUE.equals(index.get("unique"))) {
                describe(schema, "unique");
            } else if (index.get("expireAfterSeconds") instanceof BsonNumber seconds) {
                describe(schema, "removed " + seconds.longValue() + " seconds after this date");
            }
        }
    }

    static void describe(BsonDocument schema, String text) {
        schema.put(
                "description",
                new BsonString(
                        schema.get("description") instanceof BsonString before
                                ? before.getValue() + " (" + text + ")"
                                : text));
    }

    /// The schema of a field of stored documents, if all its values are scalars of one type.
    ///
    /// @param path with dots
    Optional<BsonDocument> typeOf(String path) {
        var schema = stored();
        for (var step : path.split("\\.", -1)) {
            var object = resolved(schema);
            if (object.get("type") instanceof BsonString type
                    && type.getValue().equals("array")
                    && object.get("items") instanceof BsonDocument items) {
                object = resolved(items);
            }
            if (!(object.get("properties") instanceof BsonDocument properties)
                    || !(properties.get(step) instanceof BsonDocument next)) {
                return Optional.empty();
            }
            schema = next;
        }
        return scalar(schema);
    }

    private BsonDocument resolved(BsonDocument schema) {
        return Json.component(schema)
                .map(component -> components.schemas().getOrDefault(component, schema))
                .orElse(schema);
    }

    /// A type other than object and array, without null.
    private static Optional<BsonDocument> scalar(BsonDocument schema) {
        var component = Json.component(schema);
        if (component.isPresent()) {
            return component.filter(FixedSchemas.NAMES::contains).map(Json::schema);
        }
        var names = schema.get("type") instanceof BsonArray several
                ? several.stream()
                        .filter(type -> !type.equals(new BsonString("null")))
                        .toList()
                : schema.get("type") == null ? List.<BsonValue>of() : List.of(schema.get("type"));
        return names.size() == 1
                        && names.getFirst() instanceof BsonString type
                        && !Set.of("object", "array", "null").contains(type.getValue())
                ? Optional.of(type(type.getValue()))
                : Optional.empty();
    }

    /// A property of documents that are read, with a value of its type that is none of a document's: for
    /// examples of parameters. Empty if no property with texts or numbers is known.
    Optional<Map.Entry<String, BsonValue>> exampleField() {
        if (rules(Method.GET).isEmpty()) {
            return Optional.empty();
        }
        stored();
        var properties = components
                .schemas()
                .getOrDefault(name, new BsonDocument())
                .getDocument("properties", new BsonDocument());
        return properties.entrySet().stream()
                .filter(property -> property.getKey().matches("[A-Za-z]\\w{0,39}"))
                .flatMap(property ->
                        exampleOf(property.getValue()).stream().map(value -> Map.entry(property.getKey(), value)))
                .findFirst();
    }

    private static Optional<BsonValue> exampleOf(BsonValue schema) {
        var type = schema instanceof BsonDocument document ? document.get("type") : null;
        if (type instanceof BsonArray types && types.size() == 2) { // of which null is the second
            type = types.getFirst();
        }
        return switch (type instanceof BsonString text ? text.getValue() : "") {
            case "string" -> Optional.of(new BsonString("…"));
            case "integer", "number" -> Optional.of(new BsonInt32(1));
            default -> Optional.empty();
        };
    }

    /// The schema of the results of a stored aggregation, if their fields are known.
    Optional<BsonDocument> results(Offered offered, BsonDocument definition) {
        var redaction = SchemaRedaction.by(offered.permitted().possible(), components);
        return PipelineResults.fields(definition).map(fields -> {
            var properties = new BsonDocument();
            fields.stream().filter(redaction::shows).forEach(field -> properties.append(field, new BsonDocument()));
            var component = ComponentNames.inner(name, "aggrs." + offered.name());
            components.put(component, members(properties));
            return Json.schema(component);
        });
    }

    BsonDocument event() {
        return members(object("_id", type("object"), "operationType", type("string"), "fullDocument", stored()));
    }

    /// The schema of documents to be stored.
    BsonDocument created(Offered offered) {
        var component = name + "New";
        if (!components.has(component)) {
            components.put(component, type("object"));
            components.put(component, createdSchema(component, rules(offered)));
        }
        return Json.schema(component);
    }

    BsonDocument manyCreated(Offered offered) {
        components.put(name + "NewList", Json.list(created(offered)));
        return Json.schema(name + "NewList");
    }

    /// The rules of all operations that accept whole documents, which share a schema.
    private List<RuleDecision> rules(Offered offered) {
        return group.offered().isEmpty()
                ? offered.permitted().possible()
                : group.offered().stream()
                        .filter(other ->
                                other.operation().input() == offered.operation().input()
                                        || (isWhole(other) && isWhole(offered)))
                        .flatMap(other -> other.permitted().possible().stream())
                        .toList();
    }

    private static boolean isWhole(Offered offered) {
        return offered.operation().input() == DataOperation.Input.DOCUMENTS
                || offered.operation().input() == DataOperation.Input.DOCUMENT;
    }

    private BsonDocument createdSchema(String component, List<RuleDecision> rules) {
        var declared = declarations().schema();
        BsonDocument schema;
        if (declared.isPresent()) {
            schema = declarations().convert(declared.get().schema(), component);
            schema.putIfAbsent("type", new BsonString("object"));
            declared.get().note().ifPresent(note -> describe(schema, note));
            if (!declared.get().enforced()) {
                schema.remove("required");
                schema.remove("additionalProperties");
                describe(schema, "Not enforced on every write.");
            }
        } else {
            schema = type("object");
            var properties = shapes.properties(group.shape().root(), component);
            properties.values().forEach(property -> ((BsonDocument) property).remove("x-share"));
            properties.remove("_etag");
            schema.append("properties", properties);
        }
        addSecrets(schema);
        finish(schema, rules);
        return schema;
    }

    private void addSecrets(BsonDocument schema) {
        if (secrets.isEmpty()) {
            return;
        }
        if (!schema.isDocument("properties")) {
            schema.append("properties", new BsonDocument());
        }
        secrets.forEach(
                secret -> schema.getDocument("properties").append(secret, object("type", "string", "writeOnly", true)));
    }

    private static void finish(BsonDocument schema, List<RuleDecision> rules) {
        if (schema.get("required") instanceof BsonArray required) { // which the gateway generates
            required.removeIf(
                    property -> property.equals(new BsonString("_id")) || property.equals(new BsonString("_etag")));
            if (required.isEmpty()) {
                schema.remove("required");
            }
        }
        if (!(schema.get("properties") instanceof BsonDocument properties)) {
            return;
        }
        together(rules, rule -> rule.limits().onlyProperties())
                .ifPresent(only -> properties
                        .keySet()
                        .removeIf(property -> only.stream().noneMatch(name -> FieldPath.isWithin(name, property))));
        together(
                        rules,
                        rule -> Optional.of(rule.grant()
                                .mergeRequest()
                                .map(BsonDocument::keySet)
                                .orElse(Set.of())))
                .ifPresent(merged -> merged.forEach(property -> {
                    if (properties.get(property) instanceof BsonDocument inner) {
                        inner.put("readOnly", BsonBoolean.TRUE);
                    }
                }));
    }

    /// The schema of changes: properties to set, by path, and update operators.
    BsonDocument changed(Offered offered) {
        var component = name + "Patch";
        if (!components.has(component)) {
            components.put(component, type("object"));
            var description =
                    "Properties to set, by name or dotted path, and update operators of MongoDB such as `$inc`,"
                            + " `$push` or `$unset`.";
            var schema = object("type", "object", "description", description);
            var properties = new BsonDocument();
            var redaction = SchemaRedaction.by(offered.permitted().possible(), components);
            var all = declarations()
                    .schema()
                    .map(declared -> declarations()
                            .convert(declared.schema(), component)
                            .getDocument("properties", new BsonDocument()))
                    .orElseGet(() -> shapes.properties(group.shape().root(), component));
            all.forEach((property, inner) -> {
                if (!property.equals("_id") && !property.equals("_etag") && redaction.shows(property)) {
                    if (inner instanceof BsonDocument document) {
                        document.remove("x-share");
                    }
                    properties.append(property, redaction.redacted(inner, property));
                }
            });
            if (!properties.isEmpty()) {
                schema.append("properties", properties);
            }
            addSecrets(schema);
            finish(schema, rules(offered));
            components.put(component, schema);
        }
        return Json.schema(component);
    }

    /// What can be done with a document whose id the client has chosen; empty unless all ids are texts,
    /// since a link can repeat only those.
    BsonDocument links() {
        var links = new BsonDocument();
        var created = components.schemas().getOrDefault(name + "New", new BsonDocument());
        boolean texts = created.get("properties") instanceof BsonDocument properties
                && properties.get("_id") instanceof BsonDocument id
                && new BsonString("string").equals(id.get("type"));
        group.offered().stream()
                .filter(offered -> texts && offered.operation().kind() == ResourceKind.DOCUMENT)
                .map(offered ->
                        offered.operation().verb() + name + offered.operation().suffix())
                .forEach(id ->
                        links.append(id, object("operationId", id, "parameters", object("id", "$request.body#/_id"))));
        return links;
    }

    /// The union over all rules that may decide; empty if one of them has no limit.
    private static Optional<Set<String>> together(
            List<RuleDecision> rules, Function<RuleDecision, Optional<? extends Collection<String>>> of) {
        var all = new LinkedHashSet<String>();
        for (var rule : rules) {
            var some = of.apply(rule);
            if (some.isEmpty()) {
                return Optional.empty();
            }
            all.addAll(some.get());
        }
        return Optional.of(all);
    }

    /// What is declared of a collection's documents: a schema for this description alone, the JSON Schema
    /// that writes are held to, or MongoDB's validator, in this order. Confined to one OpenAPI document.
    private record DeclaredDocuments(Components components, Group group) {
        /// @param enforced whether every write is held to it
        /// @param note what else is to be said
        record Declared(BsonDocument schema, boolean enforced, Optional<String> note) {}

        Optional<Declared> schema() {
            var shown = group.collection().flatMap(DeclaredDocuments::override);
            if (shown.isPresent()) {
                return shown.map(schema -> new Declared(schema, false, Optional.empty()));
            }
            var validator = group.collection().flatMap(CollectionStructure::validator);
            if (group.schema().isPresent()) {
                return group.schema()
                        .map(stored -> new Declared(
                                stored.schema(), true, validator.map(_ -> "A validator of MongoDB applies too.")));
            }
            boolean enforced =
                    group.collection().map(CollectionStructure::enforced).orElse(false);
            return validator.map(schema -> new Declared(schema, enforced, Optional.empty()));
        }

        /// `openapi.schema` of the collection's properties.
        private static Optional<BsonDocument> override(CollectionStructure structure) {
            return BsonValues.object(structure.properties(), "openapi")
                    .flatMap(shown -> BsonValues.object(shown, "schema"));
        }

        /// A declared schema in the form of the OpenAPI document.
        ///
        /// @param component its name, which begins those of its parts
        BsonDocument convert(BsonDocument schema, String component) {
            var base = group.schema().map(StoredSchema::uri).orElse("");
            return convert(schema, component, component, base);
        }

        /// @param name of the component that the schema becomes
        /// @param base to which its references are relative
        private BsonDocument convert(BsonDocument schema, String name, String component, String base) {
            return new DeclaredSchemas(
                            components,
                            name,
                            reference -> resolved(base, reference).flatMap(uri -> related(uri, component)))
                    .convert(schema);
        }

        /// Without an empty fragment.
        private static Optional<String> resolved(String base, String reference) {
            try {
                return Optional.of(
                        URI.create(base).resolve(reference).toString().replaceFirst("#$", ""));
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }

        /// A component for another stored schema.
        private Optional<BsonDocument> related(String uri, String component) {
            return group.schema()
                    .map(StoredSchema::related)
                    .flatMap(all -> Optional.ofNullable(all.get(uri)))
                    .map(schema -> {
                        var id = uri.substring(uri.lastIndexOf('/') + 1);
                        // of one id in several databases
                        var name = ComponentNames.inner(component + ".", id + (isAmbiguous(id) ? " " + uri : ""));
                        if (!components.has(name)) {
                            components.put(name, new BsonDocument()); // for references to itself
                            components.put(name, convert(schema, name, component, uri));
                        }
                        return Json.schema(name);
                    });
        }

        private boolean isAmbiguous(String id) {
            return group.schema().stream()
                            .flatMap(stored -> stored.related().keySet().stream())
                            .filter(uri -> uri.endsWith("/" + id))
                            .count()
                    > 1;
        }
    }

    /// Removes properties from declared schemas that no rule of the caller shows.
    ///
    /// @param visibilities the visible properties by each rule that may apply; empty for a rule without
    ///     limits
    /// @param components those to which redacted schemas refer are redacted too
    record SchemaRedaction(List<Optional<Visibility>> visibilities, Components components) {
        /// Keywords that may name hidden properties and are not needed.
        private static final List<String> NAMING = List.of(
                "dependentRequired",
                "dependentSchemas",
                "patternProperties",
                "propertyNames",
                "if",
                "then",
                "else",
                "not");

        /// Keywords that describe a whole value, including its hidden parts.
        private static final List<String> WHOLE = List.of("additionalProperties", "const", "enum");

        static SchemaRedaction by(List<RuleDecision> rules, Components components) {
            return new SchemaRedaction(
                    rules.stream()
                            .map(rule -> rule.grant().projectResponse().map(Visibility::of))
                            .toList(),
                    components);
        }

        /// Whether some rule shows the property or a part of it. Callers who may not read are shown nothing.
        boolean shows(String path) {
            return visibilities.stream()
                    .anyMatch(visibility ->
                            visibility.map(shown -> shown.showsPart(path)).orElse(true));
        }

        /// The schema without hidden properties. It and its components are changed in place, since nothing
        /// else refers to them.
        ///
        /// @param path of the property that it describes
        BsonValue redacted(BsonValue schema, String path) {
            return visibilities.stream().anyMatch(Optional::isEmpty) ? schema : redacted(schema, path, new HashSet<>());
        }

        /// @param entered the components that have been redacted
        private BsonValue redacted(BsonValue schema, String path, Set<String> entered) {
            if (!(schema instanceof BsonDocument document)) {
                return schema;
            }
            var component = Json.component(document);
            if (component.isPresent()) {
                var inner = components.schemas().get(component.get());
                if (inner != null && entered.add(component.get())) {
                    components.put(component.get(), (BsonDocument) redacted(inner, path, entered));
                }
                return schema;
            }
            NAMING.forEach(document::remove);
            if (document.get("properties") instanceof BsonDocument properties) {
                // A path that is too long is one that no rule names: whether it is shown is not determined.
                properties
                        .keySet()
                        .removeIf(property -> !FieldPath.isBounded(path, property) || !shows(path + "." + property));
                properties.replaceAll((property, inner) -> redacted(inner, path + "." + property, entered));
                requireOnly(properties.keySet(), document);
            }
            if (visibilities.stream().noneMatch(shown -> shown.orElseThrow().shows(path))) {
                WHOLE.forEach(document::remove);
            }
            for (var key : List.of("items", "contains")) {
                if (document.get(key) instanceof BsonDocument items) {
                    document.put(key, redacted(items, path, entered));
                }
            }
            for (var key : List.of("prefixItems", "allOf", "anyOf", "oneOf")) {
                if (document.get(key) instanceof BsonArray parts) {
                    parts.replaceAll(part -> redacted(part, path, entered));
                }
            }
            return document;
        }

        private static void requireOnly(Set<String> properties, BsonDocument schema) {
            if (schema.get("required") instanceof BsonArray required) {
                required.removeIf(
                        property -> property instanceof BsonString text && !properties.contains(text.getValue()));
                if (required.isEmpty()) {
                    schema.remove("required");
                }
            }
        }
    }

    /// What the results of a stored pipeline consist of, as far as its last stages say.
    static final class PipelineResults {
        /// Stages whose results have the fields of what they are given.
        private static final Set<String> PRESERVING = Set.of("$match", "$sort", "$limit", "$skip", "$sample");

        private PipelineResults() {}

        /// The names of all fields; empty if they depend on documents or variables.
        static Optional<Set<String>> fields(BsonDocument definition) {
            if (!(definition.get("stages") instanceof BsonArray stages)) {
                return Optional.empty();
            }
            for (var stage : stages.reversed()) {
                if (!(stage instanceof BsonDocument document) || document.size() != 1) {
                    return Optional.empty();
                }
                var operator = document.getFirstKey();
                var operand = document.get(operator);
                if (!PRESERVING.contains(operator)) {
                    return switch (operator) {
                        case "$group" ->
                            operand instanceof BsonDocument group ? Optional.of(group.keySet()) : Optional.empty();
                        case "$project" -> operand instanceof BsonDocument kept ? included(kept) : Optional.empty();
                        case "$count" ->
                            operand instanceof BsonString name
                                    ? Optional.of(Set.of(name.getValue()))
                                    : Optional.empty();
                        default -> Optional.empty();
                    };
                }
            }
            return Optional.empty();
        }

        /// The fields of a projection, unless it removes fields.
        private static Optional<Set<String>> included(BsonDocument projection) {
            var names = new LinkedHashSet<String>();
            names.add("_id");
            for (var entry : projection.entrySet()) {
                if (entry.getKey().startsWith("$")) {
                    return Optional.empty();
                } else if (!isRemoval(entry.getValue())) {
                    names.add(entry.getKey().split("\\.", 2)[0]);
                } else if (entry.getKey().equals("_id")) {
                    names.remove("_id");
                } else {
                    return Optional.empty();
                }
            }
            return names.equals(Set.of("_id")) || names.isEmpty() ? Optional.empty() : Optional.of(names);
        }

        private static boolean isRemoval(BsonValue value) {
            return BsonValues.isOff(value) || (value instanceof BsonDocument document && document.containsKey("$var"));
        }
    }

    /// Converts declared schemas, JSON Schemas from draft 4 on or MongoDB's `$jsonSchema`, to OpenAPI 3.1
    /// (2020-12). Parts that are not understood or too large become open schemas; nothing is fetched.
    /// Confined to one schema.
    static final class DeclaredSchemas {
        private static final int MAX_SCHEMAS = 500;
        private static final int MAX_DEPTH = 20;
        private static final Set<String> COPIED = Words.of("""
            minProperties maxProperties minItems maxItems uniqueItems minLength maxLength pattern format enum const
            minContains maxContains readOnly writeOnly
            """);

        private final Components components;
        private final String component;
        private final Function<String, Optional<BsonDocument>> others;
        private int count;

        /// @param others resolves references to other schemas; empty for hidden ones
        DeclaredSchemas(Components components, String component, Function<String, Optional<BsonDocument>> others) {
            this.components = components;
            this.component = component;
            this.others = others;
        }

        /// The schema itself; its definitions and the objects in it become components.
        BsonDocument convert(BsonDocument schema) {
            for (var key : List.of("definitions", "$defs")) {
                if (schema.get(key) instanceof BsonDocument definitions) {
                    definitions.forEach((name, definition) -> {
                        var named = definition(name);
                        if (!components.has(named)) {
                            components.put(named, asObject(convert(definition, named, 1)));
                        }
                    });
                }
            }
            return asObject(convert(schema, component, 0));
        }

        private String definition(String name) {
            return component + "." + ComponentNames.inner("", name).substring(1);
        }

        private static BsonDocument asObject(BsonValue schema) {
            return schema instanceof BsonDocument document ? document : new BsonDocument();
        }

        private static BsonDocument open(String why) {
            return object("description", why);
        }

        private BsonValue convert(BsonValue schema, String name, int depth) {
            if (schema instanceof BsonBoolean) {
                return schema;
            }
            if (!(schema instanceof BsonDocument document)) {
                return new BsonDocument();
            }
            if (++count > MAX_SCHEMAS || depth > MAX_DEPTH) {
                return open("the rest of this schema is too large to be shown");
            }
            if (document.get("$ref") instanceof BsonString reference) {
                return reference(reference.getValue());
            }
            var converted = new BsonDocument();
            text(document, converted, "title");
            text(document, converted, "description");
            if (document.containsKey("bsonType")) {
                var union = unionOfBsonTypes(document.get("bsonType"));
                converted.putAll(union);
                if (union.containsKey("$ref") || union.containsKey("anyOf")) {
                    return converted;
                }
            } else {
                types(document.get("type"), converted);
            }
            document.forEach((keyword, value) -> keyword(keyword, value, converted, name, depth + 1));
            exclusive(document, converted, "minimum", "exclusiveMinimum");
            exclusive(document, converted, "maximum", "exclusiveMaximum");
            arrays(document, converted, name, depth + 1);
            return converted;
        }

        /// @param type the value of `bsonType`
        /// @return the schema of the types that it names; empty if it names no known one
        private BsonDocument unionOfBsonTypes(BsonValue type) {
            var types = bsonTypes(type);
            return types.isEmpty()
                    ? new BsonDocument()
                    : ShapeSchemas.union(types, BsonTexts.several(type).contains("null"));
        }

        /// Keywords that mean the same in all drafts and alone.
        private void keyword(String keyword, BsonValue value, BsonDocument to, String name, int depth) {
            switch (keyword) {
                case "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum" -> {
                    if (value.isNumber()) {
                        to.append(keyword, value);
                    }
                }
                case "required" -> {
                    if (value instanceof BsonArray names && !names.isEmpty()) {
                        to.append(keyword, names);
                    }
                }
                case "allOf", "anyOf", "oneOf" -> {
                    if (value instanceof BsonArray parts && !parts.isEmpty()) {
                        var all = new BsonArray();
                        parts.forEach(part -> all.add(convert(part, name + "_" + keyword + all.size(), depth)));
                        to.append(keyword, all);
                    }
                }
                case "not", "contains", "if", "then", "else", "propertyNames" ->
                    to.append(keyword, convert(value, name + "_" + keyword, depth));
                case "properties", "patternProperties" -> {
                    if (value instanceof BsonDocument properties) {
                        var converted = new BsonDocument();
                        properties.forEach((property, schema) ->
                                converted.append(property, inner(schema, ComponentNames.inner(name, property), depth)));
                        to.append(keyword, converted);
                    }
                }
                case "additionalProperties" -> to.append(keyword, inner(value, name + "_value", depth));
                case "dependencies", "dependentRequired", "dependentSchemas" -> {
                    if (value instanceof BsonDocument dependencies) {
                        dependencies.forEach((property, needed) -> {
                            boolean isNames = needed.isArray();
                            to.computeIfAbsent(
                                            isNames ? "dependentRequired" : "dependentSchemas", _ -> new BsonDocument())
                                    .asDocument()
                                    .append(
                                            property,
                                            isNames ? needed : convert(needed, name + "_with" + property, depth));
                        });
                    }
                }
                default -> {
                    if (COPIED.contains(keyword)) {
                        to.append(keyword, value);
                    }
                }
            }
        }

        private static void text(BsonDocument from, BsonDocument to, String key) {
            if (from.get(key) instanceof BsonString text) {
                to.append(key, new BsonString(Json.prose(text.getValue())));
            }
        }

        private static void types(@Nullable BsonValue type, BsonDocument converted) {
            var names = BsonTexts.several(type).stream()
                    .filter(Words.of("""
                        string number integer boolean object array null
                        """)::contains)
                    .distinct()
                    .toList();
            if (names.size() == 1) {
                converted.append("type", new BsonString(names.getFirst()));
            } else if (!names.isEmpty()
                    && names.size() == BsonTexts.several(type).size()) {
                converted.append("type", BsonValues.value(names));
            }
        }

        /// Empty if one of the types is not known.
        private List<BsonDocument> bsonTypes(BsonValue type) {
            var schemas = new ArrayList<BsonDocument>();
            for (var name : BsonTexts.several(type)) {
                switch (name) {
                    case "object", "array" -> schemas.add(type(name));
                    case "null" -> {}
                    case "number" -> {
                        if (components.mode() == JsonMode.EXTENDED) {
                            schemas.add(components.of(BsonType.INT32));
                            schemas.add(components.of(BsonType.INT64));
                            schemas.add(components.of(BsonType.DOUBLE));
                        } else {
                            schemas.add(type("number"));
                        }
                    }
                    default -> {
                        var known = BsonTypes.named(name);
                        if (known.isEmpty()) {
                            return List.of();
                        }
                        schemas.add(components.of(known.get()));
                    }
                }
            }
            return schemas;
        }

        /// What draft 4 and MongoDB say by a flag beside the bound.
        private static void exclusive(BsonDocument from, BsonDocument to, String bound, String exclusive) {
            if (BsonBoolean.TRUE.equals(from.get(exclusive)) && to.containsKey(bound)) {
                to.append(exclusive, to.remove(bound));
            }
        }

        /// An object with properties becomes a component.
        private BsonValue inner(BsonValue schema, String name, int depth) {
            var converted = convert(schema, name, depth);
            if (converted instanceof BsonDocument document && document.containsKey("properties")) {
                components.put(name, document);
                return Json.schema(name);
            }
            return converted;
        }

        private void arrays(BsonDocument from, BsonDocument to, String name, int depth) {
            var prefix = from.get("items") instanceof BsonArray items ? items : from.get("prefixItems");
            if (prefix instanceof BsonArray items && !items.isEmpty()) {
                var all = new BsonArray();
                items.forEach(item -> all.add(inner(item, name + "_item" + all.size(), depth)));
                to.append("prefixItems", all);
                var rest = from.get("items") instanceof BsonArray ? from.get("additionalItems") : from.get("items");
                to.append("items", rest == null ? new BsonDocument() : inner(rest, name + "_item", depth));
            } else if (from.containsKey("items") && !from.isArray("items")) {
                to.append("items", inner(from.get("items"), name + "_item", depth));
            } else if (to.get("type") instanceof BsonString type
                    && type.getValue().equals("array")) {
                to.append("items", new BsonDocument());
            }
        }

        private BsonDocument reference(String reference) {
            if (reference.equals("#")) {
                return Json.schema(component);
            }
            for (var prefix : List.of("#/definitions/", "#/$defs/")) {
                if (reference.startsWith(prefix) && reference.indexOf('/', prefix.length()) < 0) {
                    return Json.schema(definition(reference
                            .substring(prefix.length())
                            .replace("~1", "/")
                            .replace("~0", "~")));
                }
            }
            return others.apply(reference).orElseGet(() -> open("a schema that is not shown here"));
        }
    }
}

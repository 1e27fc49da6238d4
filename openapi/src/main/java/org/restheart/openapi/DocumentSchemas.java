package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.Collection;
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
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.mongo.description.Shape;
import org.restheart.openapi.Visible.Group;
import org.restheart.openapi.Visible.Offered;

/// The schemas of a collection's documents: stored, new, and changes. Components are created on first reference.
/// Confined to one OpenAPI document.
final class DocumentSchemas {
    private final Components components;
    private final ShapeSchemas shapes;
    private final Group group;
    private final String name;
    private final Set<String> secrets;
    private final DeclaredDocuments declarations;

    /// @param secrets properties that are written and never read
    DocumentSchemas(Components components, ShapeSchemas shapes, Group group, String name, Set<String> secrets) {
        this.components = components;
        this.shapes = shapes;
        this.group = group;
        this.name = name;
        this.secrets = secrets;
        this.declarations = new DeclaredDocuments(components, group);
    }

    String name() {
        return name;
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
        var declared = declarations.schema();
        declared.ifPresent(
                found -> addDeclared(declarations.convert(found.schema(), name), redaction, schema, properties));
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
            properties.put("_etag", components.fixed("ObjectId").append("readOnly", Json.value(true)));
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

    private List<RuleAnswer> rules(Method method) {
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

    private static void describe(BsonDocument schema, String text) {
        schema.put(
                "description",
                new BsonString(
                        schema.get("description") instanceof BsonString before
                                ? before.getValue() + " (" + text + ")"
                                : text));
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

    /// The schema of an array of documents to be stored.
    BsonDocument manyCreated(Offered offered) {
        components.put(name + "NewList", object("type", "array", "items", created(offered)));
        return Json.schema(name + "NewList");
    }

    /// The rules of all operations that accept whole documents, which share a schema.
    private List<RuleAnswer> rules(Offered offered) {
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

    private BsonDocument createdSchema(String component, List<RuleAnswer> rules) {
        var declared = declarations.schema();
        BsonDocument schema;
        if (declared.isPresent()) {
            schema = declarations.convert(declared.get().schema(), component);
            schema.putIfAbsent("type", new BsonString("object"));
            declared.get().note().ifPresent(note -> describe(schema, note));
            if (!declared.get().enforced()) {
                schema.remove("required");
                schema.remove("additionalProperties");
                describe(schema, "Not enforced on every write.");
            }
        } else {
            schema = type("object");
            var properties = shapes.properties(readable(), component);
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

    /// The schema derived from a sample, if the caller may read documents.
    private Shape.Fields readable() {
        return group.shape().root();
    }

    private static void finish(BsonDocument schema, List<RuleAnswer> rules) {
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
                        .removeIf(property -> only.stream()
                                .noneMatch(name -> name.equals(property) || name.startsWith(property + "."))));
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
            var schema = object(
                    "type",
                    "object",
                    "description",
                    "Properties to set, by name or dotted path, and update operators of MongoDB such as `$inc`,"
                            + " `$push` or `$unset`.");
            var properties = new BsonDocument();
            var redaction = SchemaRedaction.by(offered.permitted().possible(), components);
            var all = declarations
                    .schema()
                    .map(declared -> declarations
                            .convert(declared.schema(), component)
                            .getDocument("properties", new BsonDocument()))
                    .orElseGet(() -> shapes.properties(readable(), component));
            all.forEach((property, inner) -> {
                if (!property.equals("_id") && !property.equals("_etag") && redaction.shows(property)) {
                    ((BsonDocument) open(inner)).remove("x-share");
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

    /// What can be done with a document whose id the client has chosen; empty unless all ids are texts, since a link
    /// can repeat only those.
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

    /// The schema of a field of stored documents, if its values have one type.
    ///
    /// @param path with dots
    Optional<BsonDocument> typeOf(String path) {
        stored();
        return new FieldTypes(components).of(Json.schema(name), path);
    }

    /// A property of documents that are read, with a value of its type that is none of a document's: for examples of
    /// parameters. Empty if no property with texts or numbers is known.
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
                        exampleOf(open(property.getValue())).stream().map(value -> Map.entry(property.getKey(), value)))
                .findFirst();
    }

    private static Optional<BsonValue> exampleOf(BsonValue schema) {
        var type = schema.asDocument().get("type");
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
            components.put(component, object("type", "object", "properties", properties));
            return Json.schema(component);
        });
    }

    private static BsonValue open(@Nullable BsonValue schema) {
        return schema instanceof BsonDocument ? schema : new BsonDocument();
    }

    /// The schema of change events.
    BsonDocument event() {
        var event = object(
                "type",
                "object",
                "properties",
                object("_id", type("object"), "operationType", type("string"), "fullDocument", stored()));
        return event;
    }

    /// The union over all rules that may decide; empty if one of them has no limit.
    private static Optional<Set<String>> together(
            List<RuleAnswer> rules, Function<RuleAnswer, Optional<? extends Collection<String>>> of) {
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
}

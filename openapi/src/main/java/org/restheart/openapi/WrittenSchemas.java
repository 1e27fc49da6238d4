package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.type;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;

/// The schemas of a collection's documents as they are written: new ones, and changes. Confined to one OpenAPI
/// document.
///
/// @param name of the component of stored documents
/// @param secrets properties that are written and never read
record WrittenSchemas(
        Components components,
        ShapeSchemas shapes,
        Group group,
        String name,
        Set<String> secrets,
        DeclaredDocuments declarations) {

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
        var declared = declarations.schema();
        BsonDocument schema;
        if (declared.isPresent()) {
            schema = declarations.convert(declared.get().schema(), component);
            schema.putIfAbsent("type", new BsonString("object"));
            declared.get().note().ifPresent(note -> DocumentSchemas.describe(schema, note));
            if (!declared.get().enforced()) {
                schema.remove("required");
                schema.remove("additionalProperties");
                DocumentSchemas.describe(schema, "Not enforced on every write.");
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
            var description =
                    "Properties to set, by name or dotted path, and update operators of MongoDB such as `$inc`,"
                            + " `$push` or `$unset`.";
            var schema = object("type", "object", "description", description);
            var properties = new BsonDocument();
            var redaction = SchemaRedaction.by(offered.permitted().possible(), components);
            var all = declarations
                    .schema()
                    .map(declared -> declarations
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
}

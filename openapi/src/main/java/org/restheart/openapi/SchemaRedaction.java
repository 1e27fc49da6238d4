package org.restheart.openapi;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.judged.Permitted.RuleDecision;

/// Removes properties from declared schemas that no rule of the caller shows.
///
/// @param visibilities the visible properties by each rule that may apply; empty for a rule without limits
/// @param components those to which redacted schemas refer are redacted too
record SchemaRedaction(List<Optional<Visibility>> visibilities, Components components) {
    /// Keywords that may name hidden properties and are not needed.
    private static final List<String> NAMING = List.of(
            "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames", "if", "then", "else", "not");

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

    /// The schema without hidden properties. It and its components are changed in place, since nothing else refers to
    /// them.
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
            required.removeIf(property -> property instanceof BsonString text && !properties.contains(text.getValue()));
            if (required.isEmpty()) {
                schema.remove("required");
            }
        }
    }
}

package org.restheart.mongo.hal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// The path of a document's references: a field's name, or a path such as `$.children.[*].id`, in which `*` is any
/// field and `[*]` any element. Immutable.
///
/// @param text as declared
/// @param steps names, `*` and `[*]`
record ReferencePath(String text, List<String> steps, boolean isPattern) {
    private static final String ANY_FIELD = "*";
    private static final String ANY_ELEMENT = "[*]";

    static ReferencePath parse(String text) {
        if (!text.startsWith("$.")) {
            return new ReferencePath(text, List.of(text), false);
        }
        var steps = List.of(
                text.substring(2).replace("[*]", ".[*]").replace("..", ".").split("\\."));
        return new ReferencePath(
                text, steps.stream().filter(step -> !step.isEmpty()).toList(), true);
    }

    /// The name for queries, in which MongoDB traverses arrays implicitly.
    String plainName() {
        return isPattern
                ? steps.stream()
                        .filter(step -> !step.equals(ANY_ELEMENT) && !step.equals(ANY_FIELD))
                        .collect(Collectors.joining("."))
                : text;
    }

    /// The field's value; of a path, an array of all values found. Empty for nothing, and for null.
    Optional<BsonValue> valueIn(BsonDocument document) {
        var found = new ArrayList<BsonValue>();
        collect(document, 0, found);
        found.removeIf(BsonValue::isNull);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        boolean isTheArray = found.size() == 1 && found.getFirst().isArray();
        return Optional.of(isPattern && !isTheArray ? new BsonArray(found) : found.getFirst());
    }

    private void collect(BsonValue value, int step, List<BsonValue> found) {
        if (step == steps.size()) {
            found.add(value);
            return;
        }
        var name = steps.get(step);
        if (name.equals(ANY_ELEMENT)) {
            if (value.isArray()) {
                value.asArray().forEach(element -> collect(element, step + 1, found));
            }
        } else if (value.isDocument()) {
            var fields = value.asDocument();
            if (isPattern && name.equals(ANY_FIELD)) {
                fields.values().forEach(field -> collect(field, step + 1, found));
            } else if (fields.containsKey(name)) {
                collect(fields.get(name), step + 1, found);
            }
        }
    }
}

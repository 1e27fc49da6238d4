package org.restheart.rest.hal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.resource.IdSpelling;

/// One element of a collection's `rels`: documents of this collection refer to documents of the target (`OWNING`),
/// or vice versa (`INVERSE`). Immutable.
///
/// @param name the link's relation
public record Relationship(
        String name, Type type, boolean owning, String targetDb, String targetCollection, ReferencePath field) {

    /// The property of a collection.
    static final String PROPERTY = "rels";

    private static final Set<String> ROLES = Set.of("OWNING", "INVERSE");

    /// The cardinality on this side and on that of the target.
    public enum Type {
        ONE_TO_ONE,
        ONE_TO_MANY,
        MANY_TO_ONE,
        MANY_TO_MANY;

        boolean fromOne() {
            return this == ONE_TO_ONE || this == ONE_TO_MANY;
        }

        boolean toOne() {
            return this == ONE_TO_ONE || this == MANY_TO_ONE;
        }
    }

    public static Map<String, Relationship> declaredBy(DataRequest request) {
        var declared = new LinkedHashMap<String, Relationship>();
        all(request, relationship -> declared.putIfAbsent(relationship.name(), relationship), _ -> {});
        return declared;
    }

    /// @param mistakes receives what is wrong with the other declarations
    static void all(DataRequest request, Consumer<Relationship> declared, Consumer<String> mistakes) {
        request.resource().property(PROPERTY).ifPresent(rels -> {
            if (!rels.isArray()) {
                mistakes.accept("wrong 'rels': not an array of objects");
                return;
            }
            for (var rel : rels.asArray()) {
                try {
                    declared.accept(parse(rel, request.path().requireDb()));
                } catch (InvalidRelationship e) {
                    mistakes.accept(e.getMessage());
                }
            }
        });
    }

    /// @param db the default database of the target
    /// @throws InvalidRelationship if the definition is wrong
    static Relationship parse(BsonValue definition, String db) {
        if (!definition.isDocument()) {
            throw new InvalidRelationship("wrong 'rels': an element is not an object");
        }
        var fields = definition.asDocument();
        var role = text(fields, "role").toUpperCase(Locale.ROOT);
        if (!ROLES.contains(role)) {
            throw new InvalidRelationship("wrong 'rels': role must be OWNING or INVERSE");
        }
        return new Relationship(
                text(fields, "rel"),
                type(text(fields, "type")),
                role.equals("OWNING"),
                fields.containsKey("target-db") ? text(fields, "target-db") : db,
                text(fields, "target-coll"),
                ReferencePath.parse(text(fields, "ref-field")));
    }

    private static String text(BsonDocument definition, String key) {
        var value = definition.get(key);
        if (value == null || !value.isString()) {
            throw new InvalidRelationship("wrong 'rels': " + key + " must be a string");
        }
        return value.asString().getValue();
    }

    private static Type type(String name) {
        try {
            return Type.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new InvalidRelationship(
                    "wrong 'rels': type must be ONE_TO_ONE, ONE_TO_MANY, MANY_TO_ONE or MANY_TO_MANY");
        }
    }

    /// The suffix of the target collection's path in the link from a document; empty for no link.
    ///
    /// @throws InvalidRelationship if the document does not match the declaration
    Optional<String> reference(BsonDocument document) {
        if (!owning) {
            return Optional.of(query(field.plainName(), inverse(document.getOrDefault("_id", BsonNull.VALUE))));
        }
        return field.valueIn(document).map(type.toOne() ? this::toOne : this::toMany);
    }

    /// Whether a document has one related document, or none.
    public boolean isToOne() {
        return type.toOne();
    }

    /// The property of the target that has the keys.
    public String targetProperty() {
        return owning ? "_id" : field.plainName();
    }

    /// Whether keys are elements of arrays in the target.
    public boolean isInArrays() {
        return !owning && !type.fromOne();
    }

    /// The path below which the document has keys; empty if that may be any.
    public Optional<String> sourcePath() {
        return owning ? field.fixedPart() : Optional.of("_id");
    }

    /// The keys of the documents that are related to this one: distinct, without nulls, and without what is a
    /// pattern where it is searched for.
    public List<BsonValue> keys(BsonDocument document) {
        var value = owning ? field.valueIn(document) : RawDocuments.get(document, "_id");
        if (value.isEmpty() || !value.get().isArray()) {
            return value.filter(Relationship::isKey).map(List::of).orElse(List.of());
        }
        var keys = value.get().asArray().stream()
                .filter(Relationship::isKey)
                .distinct()
                .toList();
        return isToOne() && (keys.size() > 1 || !field.isPattern()) ? List.of() : keys;
    }

    private static boolean isKey(BsonValue value) {
        return switch (value.getBsonType()) {
            case NULL, UNDEFINED, ARRAY, REGULAR_EXPRESSION, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE -> false;
            case DOCUMENT -> value.asDocument().keySet().stream().noneMatch(name -> name.startsWith("$"));
            default -> true;
        };
    }

    private BsonValue inverse(BsonValue id) {
        var equal = new BsonDocument("$eq", id);
        if (!type.fromOne()) {
            return new BsonDocument("$elemMatch", equal);
        }
        return id.isRegularExpression() ? equal : id;
    }

    private String toOne(BsonValue reference) {
        var id = field.isPattern() && reference.isArray() && reference.asArray().size() == 1
                ? reference.asArray().getFirst()
                : reference;
        return IdSpelling.of(id)
                .map(spelling -> "/" + spelling)
                .orElseThrow(() -> mismatch("holds no id that a path can name but " + id.getBsonType()));
    }

    private String toMany(BsonValue references) {
        if (!references.isArray()) {
            throw mismatch("must be an array but is " + references.getBsonType());
        }
        var ids = references.asArray().stream()
                .filter(reference -> !reference.isRegularExpression()) // would be a pattern, and no id is one
                .toList();
        return query("_id", new BsonDocument("$in", new BsonArray(ids)));
    }

    private static String query(String field, BsonValue condition) {
        return "?filter=" + CompactJson.of(new BsonDocument(field, condition));
    }

    private InvalidRelationship mismatch(String what) {
        return new InvalidRelationship("relationship '" + name + "': " + field.text() + " " + what);
    }

    /// JSON in links: with single quotes and without blanks, so that it stays readable. Only characters that are
    /// special in a query are percent-encoded.
    private static final class CompactJson {
        private CompactJson() {}

        static String of(BsonValue value) {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
            var out = new StringBuilder(json.length());
            boolean inString = false;
            for (int i = 0; i < json.length(); i++) {
                char c = json.charAt(i);
                if (c == '"') {
                    inString = !inString;
                    out.append('\'');
                } else if (!inString) {
                    if (c != ' ') {
                        out.append(c);
                    }
                } else if (c == '\\') {
                    char escaped = json.charAt(++i);
                    out.append(escaped == '"' ? "\"" : "\\" + escaped);
                } else {
                    out.append(c == '\'' ? "\\" : "");
                    append(out, c);
                }
            }
            return out.toString();
        }

        private static void append(StringBuilder out, char c) {
            switch (c) {
                case ' ' -> out.append("%20");
                case '%' -> out.append("%25");
                case '&' -> out.append("%26");
                case '#' -> out.append("%23");
                case '+' -> out.append("%2B");
                default -> out.append(c);
            }
        }
    }

    /// The path of a document's references: a field's name, or a path such as `$.children.[*].id`, in which `*` is any
    /// field and `[*]` any element. Immutable.
    ///
    /// @param text as declared
    /// @param steps names, `*` and `[*]`
    public record ReferencePath(String text, List<String> steps, boolean isPattern) {
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

        /// The path as far as all its fields have names; empty if the first may be any.
        Optional<String> fixedPart() {
            var fixed = steps.stream()
                    .takeWhile(step -> !isPattern || !step.equals(ANY_FIELD))
                    .filter(step -> !isPattern || !step.equals(ANY_ELEMENT))
                    .collect(Collectors.joining("."));
            return Optional.of(fixed).filter(path -> !path.isEmpty());
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
                } else {
                    RawDocuments.get(fields, name).ifPresent(field -> collect(field, step + 1, found));
                }
            }
        }
    }

    /// An invalid declaration of a relationship, or a document that does not match the declaration. The message is
    /// shown to clients.
    static final class InvalidRelationship extends RuntimeException {
        InvalidRelationship(String message) {
            super(message, null, false, false);
        }
    }
}

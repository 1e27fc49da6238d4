package org.restheart.mongo.schema;

import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Converts between the two forms of a schema: unescaped, and stored, where keys that begin with `$` begin with
/// `_$`, and strings that name such keys. Clients may send either, since some unescaped keys would be parsed as BSON
/// types.
public final class SchemaForm {
    private static final String DOLLAR = "_$";

    /// Keywords whose members are schemas by the names of keys.
    private static final Set<String> NAMED =
            Set.of("properties", "patternProperties", "definitions", "$defs", "dependentSchemas");

    /// Keywords whose members are schemas, or lists of the names of keys.
    private static final Set<String> DEPENDENCIES = Set.of("dependencies", "dependentRequired");

    /// What the members of an object in a schema are.
    private enum Members {
        KEYWORDS,
        SCHEMAS,
        SCHEMAS_OR_NAMES
    }

    private SchemaForm() {}

    /// The stored form of a client's schema. The server sets its `id` and, except for drafts after the fourth,
    /// its `$schema`.
    ///
    /// @throws org.restheart.http.ProblemException 400 for an invalid schema
    public static BsonDocument stored(String db, BsonValue id, BsonDocument content) {
        if (!SchemaKey.isId(id)) {
            throw new ProblemException(
                    ProblemCode.CONTENT_INVALID, "the _id of a schema must be a string or an ObjectId");
        }
        var uri = new SchemaKey(db, id).uri();
        var meant = meant(content, uri);
        meant.remove("_id");
        meant.remove("_etag");
        var version = version(meant);
        meant.put("id", new BsonString(uri + "#"));
        if (version == SpecificationVersion.DRAFT_4) {
            meant.remove("$id");
        } else {
            meant.put("$id", new BsonString(uri));
        }
        meant.put("$schema", new BsonString(version.getDialectId()));
        MetaSchemas.check(version, meant);
        return renamed(meant, Members.KEYWORDS, key -> key.startsWith("$") ? "_" + key : key);
    }

    /// The unescaped form of a stored schema.
    public static BsonDocument shown(BsonDocument stored) {
        return renamed(stored, Members.KEYWORDS, key -> key.startsWith(DOLLAR) ? key.substring(1) : key);
    }

    /// A copy with other names of keys at every depth.
    private static BsonDocument renamed(BsonDocument schema, Members members, UnaryOperator<String> name) {
        var renamed = new BsonDocument(schema.size());
        schema.forEach((key, value) -> renamed.append(name.apply(key), renamed(key, value, members, name)));
        return renamed;
    }

    private static BsonValue renamed(String key, BsonValue value, Members members, UnaryOperator<String> name) {
        if (value instanceof BsonArray array) {
            boolean names =
                    members == Members.SCHEMAS_OR_NAMES || (members == Members.KEYWORDS && key.equals("required"));
            return new BsonArray(array.stream()
                    .map(element -> names && element instanceof BsonString text
                            ? new BsonString(name.apply(text.getValue()))
                            : renamed("", element, Members.KEYWORDS, name))
                    .toList());
        }
        if (!(value instanceof BsonDocument document)) {
            return value;
        }
        var keyword = key.startsWith(DOLLAR) ? key.substring(1) : key;
        return renamed(
                document,
                members != Members.KEYWORDS
                        ? Members.KEYWORDS
                        : NAMED.contains(keyword)
                                ? Members.SCHEMAS
                                : DEPENDENCIES.contains(keyword) ? Members.SCHEMAS_OR_NAMES : Members.KEYWORDS,
                name);
    }

    /// The unescaped form of what a client sends, with references to itself that stay when the server sets its `id`.
    ///
    /// @param uri that the server sets
    static BsonDocument meant(BsonDocument content, String uri) {
        return OwnReferences.relative(shown(content), uri);
    }

    /// The fourth draft, unless the schema names a later one.
    static SpecificationVersion version(BsonDocument meant) {
        return Optional.ofNullable(meant.get("$schema"))
                .filter(BsonValue::isString)
                .map(value -> value.asString().getValue())
                .flatMap(SchemaForm::named)
                .orElse(SpecificationVersion.DRAFT_4);
    }

    static boolean isDraft(String name) {
        return named(name).isPresent();
    }

    /// With or without the `#` at its end, which only the older drafts have.
    private static Optional<SpecificationVersion> named(String draft) {
        var uri = draft.replaceFirst("#$", "").replaceFirst("^https", "http");
        return Arrays.stream(SpecificationVersion.values())
                .filter(version -> version.getDialectId()
                        .replaceFirst("#$", "")
                        .replaceFirst("^https", "http")
                        .equals(uri))
                .findFirst();
    }

    /// Validates schemas against their meta schemas. Thread-safe.
    private static final class MetaSchemas {
        private static final SchemaRegistry REGISTRY = BoundedDialects.registry(_ -> null);

        private MetaSchemas() {}

        /// @throws org.restheart.http.ProblemException 400
        static void check(SpecificationVersion version, BsonDocument schema) {
            var meta = REGISTRY.getSchema(SchemaLocation.of(version.getDialectId()));
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(schema);
            var violations = Evaluation.of(meta, json, new EvaluationBudget());
            if (!violations.isEmpty()) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID,
                        "Request content violates JSON Schema meta schema: " + Violation.text(violations));
            }
        }
    }
}

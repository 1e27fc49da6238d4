package org.restheart.rest.schema;

import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Converts between the two forms of a schema: unescaped, and stored, where keys that begin with `$` begin
/// with `_$`, and strings that name such keys. Clients may send either, since some unescaped keys would be
/// parsed as BSON types.
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

    /// The stored form of a client's schema. The server sets its `id` and, except for drafts after the
    /// fourth, its `$schema`.
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

    public static BsonDocument shown(BsonDocument stored) {
        return renamed(stored, Members.KEYWORDS, key -> key.startsWith(DOLLAR) ? key.substring(1) : key);
    }

    /// A copy with other names of keys at every depth.
    private static BsonDocument renamed(BsonDocument schema, Members members, UnaryOperator<String> name) {
        return BsonValues.renamed(BsonValues.copy(schema, (key, value) -> renamed(key, value, members, name)), name);
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

    /// The unescaped form of what a client sends, with references to itself that stay when the server sets
    /// its `id`.
    ///
    /// @param uri that the server sets
    static BsonDocument meant(BsonDocument content, String uri) {
        return OwnReferences.relative(shown(content), uri);
    }

    /// The fourth draft, unless the schema names a later one.
    public static SpecificationVersion version(BsonDocument meant) {
        return Optional.ofNullable(meant.get("$schema"))
                .filter(BsonValue::isString)
                .map(value -> value.asString().getValue())
                .flatMap(SchemaForm::named)
                .orElse(SpecificationVersion.DRAFT_4);
    }

    /// The keyword of a schema's own URI, and of those of its parts; in the other drafts it means nothing.
    static String identifier(SpecificationVersion version) {
        return version == SpecificationVersion.DRAFT_4 ? "id" : "$id";
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
            var violations = new EvaluationBudget().violations(meta, json);
            if (!violations.isEmpty()) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID,
                        "Request content violates JSON Schema meta schema: " + Violation.text(violations));
            }
        }
    }

    /// References of a schema to itself, and to parts of it, by the identifier that its author gave it: a
    /// URI that this server replaces by its own, so that such references would lead nowhere. Confined to one
    /// schema.
    static final class OwnReferences {
        private static final Set<String> REFERENCES = Set.of("$ref", "$dynamicRef");

        /// The URI of the schema here.
        private final String self;

        /// That of its author; the one here if there is none.
        private final URI base;

        private final String keyword;

        /// The identifiers of parts, without fragments.
        private final Set<String> parts = new HashSet<>();

        /// To which the schema refers, and that neither it has, nor a store of this server, nor the library.
        private final Set<String> foreign = new TreeSet<>();

        private OwnReferences(BsonDocument schema, String self) {
            this.self = self;
            this.keyword = SchemaForm.identifier(SchemaForm.version(schema));
            var own = URI.create(self);
            this.base = identifier(schema).map(id -> resolved(own, id)).orElse(own);
            collect(schema, base, true);
        }

        /// The schema with references that do not depend on its own identifier: to itself by fragments or
        /// the URI here, to its parts by absolute identifiers.
        ///
        /// @param schema as clients see it
        /// @param self the URI of the schema here
        static BsonDocument relative(BsonDocument schema, String self) {
            var references = new OwnReferences(schema, self);
            return references.base.toString().startsWith(SchemaKey.BASE)
                    ? schema
                    : references.rewritten(schema, references.base, true).asDocument();
        }

        /// The absolute URIs, without fragments, of schemas elsewhere.
        static Set<String> foreign(BsonDocument schema) {
            var references = new OwnReferences(schema, SchemaKey.BASE + "db/schema");
            references.rewritten(schema, references.base, true);
            return references.foreign;
        }

        private void collect(BsonValue part, URI outer, boolean isRoot) {
            var inner = part instanceof BsonDocument document && !isRoot ? inner(document, outer) : outer;
            if (!inner.equals(outer)) {
                parts.add(withoutFragment(inner.toString()));
            }
            BsonValues.within(part).forEach(child -> collect(child, inner, false));
        }

        private BsonValue rewritten(BsonValue part, URI outer, boolean isRoot) {
            if (!(part instanceof BsonDocument document)) {
                return BsonValues.copy(part, element -> rewritten(element, outer, false));
            }
            var inner = isRoot ? outer : inner(document, outer);
            var copy = BsonValues.copy(document, (name, value) -> rewritten(name, value, inner));
            if (!inner.equals(outer)) {
                copy.put(keyword, new BsonString(inner.toString()));
            }
            return copy;
        }

        private BsonValue rewritten(String name, BsonValue value, URI outer) {
            if (SchemaWarnings.OF_LITERALS.contains(name)) {
                return value;
            }
            return REFERENCES.contains(name) && value instanceof BsonString reference
                    ? new BsonString(rewritten(reference.getValue(), outer))
                    : rewritten(value, outer, false);
        }

        private String rewritten(String reference, URI from) {
            var target = resolved(from, reference).toString();
            var resource = withoutFragment(target);
            if (resource.equals(withoutFragment(base.toString()))) {
                var fragment = target.substring(resource.length());
                return from.equals(base) ? fragment.isEmpty() ? "#" : fragment : self + fragment;
            }
            if (parts.contains(resource)) {
                return target;
            }
            boolean isForeign = uri(reference).filter(URI::isAbsolute).isPresent()
                    && !resource.startsWith(SchemaKey.BASE)
                    && !resource.matches("https?://json-schema\\.org/.*");
            if (isForeign) {
                foreign.add(resource);
            }
            return reference;
        }

        /// The URI to which references in a part are relative.
        private URI inner(BsonDocument part, URI outer) {
            return identifier(part).map(id -> resolved(outer, id)).orElse(outer);
        }

        /// Empty for a mere fragment, which is an anchor of the older drafts.
        private Optional<String> identifier(BsonDocument schema) {
            return schema.get(keyword) instanceof BsonString id
                            && !id.getValue().startsWith("#")
                    ? Optional.of(id.getValue())
                    : Optional.empty();
        }

        /// The base itself for what is no URI.
        private static URI resolved(URI base, String reference) {
            if (base.isOpaque() && reference.startsWith("#")) {
                return URI.create(withoutFragment(base.toString()) + reference);
            }
            return uri(reference).map(base::resolve).orElse(base);
        }

        private static Optional<URI> uri(String text) {
            try {
                return Optional.of(new URI(text));
            } catch (URISyntaxException _) {
                return Optional.empty();
            }
        }

        private static String withoutFragment(String uri) {
            return uri.contains("#") ? uri.substring(0, uri.indexOf('#')) : uri;
        }
    }
}

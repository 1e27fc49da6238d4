package org.restheart.mongo.schema;

import com.networknt.schema.SpecificationVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// References of a schema to itself, and to parts of it, by the identifier that its author gave it: a URI that this
/// server replaces by its own, so that such references would lead nowhere. Confined to one schema.
final class OwnReferences {
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
        this.keyword = SchemaForm.version(schema) == SpecificationVersion.DRAFT_4 ? "id" : "$id";
        var own = URI.create(self);
        this.base = identifier(schema).map(id -> resolved(own, id)).orElse(own);
        collect(schema, base, true);
    }

    /// The schema with references that do not depend on its own identifier: to itself by fragments or the URI here, to
    /// its parts by absolute identifiers.
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
        switch (part) {
            case BsonDocument document -> {
                var inner = isRoot ? outer : inner(document, outer);
                if (!inner.equals(outer)) {
                    parts.add(withoutFragment(inner.toString()));
                }
                document.values().forEach(value -> collect(value, inner, false));
            }
            case BsonArray array -> array.forEach(element -> collect(element, outer, false));
            default -> {}
        }
    }

    private BsonValue rewritten(BsonValue part, URI outer, boolean isRoot) {
        return switch (part) {
            case BsonDocument document -> {
                var inner = isRoot ? outer : inner(document, outer);
                var copy = new BsonDocument(document.size());
                document.forEach((name, value) -> copy.append(name, rewritten(name, value, inner)));
                if (!inner.equals(outer)) {
                    copy.put(keyword, new BsonString(inner.toString()));
                }
                yield copy;
            }
            case BsonArray array ->
                new BsonArray(array.stream()
                        .map(element -> rewritten(element, outer, false))
                        .toList());
            default -> part;
        };
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
        return schema.get(keyword) instanceof BsonString id && !id.getValue().startsWith("#")
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

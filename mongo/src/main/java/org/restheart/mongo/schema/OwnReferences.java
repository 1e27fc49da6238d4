package org.restheart.mongo.schema;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// References of a schema to itself, and to parts of it, by the identifier that its author gave it: an URI that this
/// server
/// replaces by its own, so that such references would lead nowhere.
final class OwnReferences {
    private static final Set<String> REFERENCES = Set.of("$ref", "$dynamicRef");

    private OwnReferences() {}

    /// The schema with references that do not depend on its own identifier: to itself by fragments, to parts with an
    /// absolute identifier by that.
    ///
    /// @param schema as clients see it
    static BsonDocument relative(BsonDocument schema) {
        var base = identifier(schema).flatMap(OwnReferences::uri).filter(URI::isAbsolute);
        if (base.isEmpty() || base.get().toString().startsWith(SchemaKey.BASE)) {
            return schema;
        }
        var parts = new HashSet<String>();
        visit(schema, true, parts);
        return rewritten(schema, true, reference -> relative(base.get(), reference, parts))
                .asDocument();
    }

    /// The absolute URIs, without fragments, to which a schema refers and that neither it nor a store of this server
    /// has, nor the library.
    static Stream<String> foreign(BsonDocument schema) {
        var parts = new HashSet<String>();
        visit(schema, true, parts);
        var found = new HashSet<String>();
        rewritten(schema, true, reference -> {
            var uri = withoutFragment(reference);
            if (uri(uri).filter(URI::isAbsolute).isPresent()
                    && !parts.contains(uri)
                    && !uri.startsWith(SchemaKey.BASE)
                    && !uri.matches("https?://json-schema\\.org/.*")) {
                found.add(uri);
            }
            return reference;
        });
        return found.stream().sorted();
    }

    private static String relative(URI base, String reference, Set<String> parts) {
        var target = uri(reference).map(base::resolve).map(URI::toString).orElse(reference);
        var resource = withoutFragment(target);
        if (resource.equals(withoutFragment(base.toString()))) {
            return target.contains("#") ? target.substring(target.indexOf('#')) : "#";
        }
        return parts.contains(resource) ? target : reference;
    }

    /// Collects the absolute identifiers of parts.
    private static void visit(BsonValue part, boolean isRoot, Set<String> identifiers) {
        switch (part) {
            case BsonDocument document -> {
                if (!isRoot) {
                    identifier(document)
                            .flatMap(OwnReferences::uri)
                            .filter(URI::isAbsolute)
                            .ifPresent(uri -> identifiers.add(withoutFragment(uri.toString())));
                }
                document.values().forEach(value -> visit(value, false, identifiers));
            }
            case BsonArray array -> array.forEach(element -> visit(element, false, identifiers));
            default -> {}
        }
    }

    /// Parts with an identifier stay: their references are relative to that.
    private static BsonValue rewritten(BsonValue part, boolean isRoot, Function<String, String> reference) {
        return switch (part) {
            case BsonDocument document
            when isRoot || identifier(document).isEmpty() -> {
                var copy = new BsonDocument(document.size());
                document.forEach((name, value) -> copy.append(
                        name,
                        REFERENCES.contains(name) && value instanceof BsonString text
                                ? new BsonString(reference.apply(text.getValue()))
                                : SchemaWarnings.OF_LITERALS.contains(name)
                                        ? value
                                        : rewritten(value, false, reference)));
                yield copy;
            }
            case BsonArray array ->
                new BsonArray(array.stream()
                        .map(element -> rewritten(element, false, reference))
                        .toList());
            default -> part;
        };
    }

    /// `$id`, or `id` of the fourth draft.
    private static Optional<String> identifier(BsonDocument schema) {
        return Stream.of("$id", "id")
                .map(schema::get)
                .filter(BsonString.class::isInstance)
                .map(id -> id.asString().getValue())
                .findFirst();
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

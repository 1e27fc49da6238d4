package org.restheart.mongo.validator;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ShortText;
import org.restheart.mongo.schema.JsonPointer;

/// Where a subschema stands. Immutable.
///
/// @param document the schema that it is a part of
/// @param base to which its references are relative, without a fragment; null if it is not known
/// @param path by which it is reached, for clients; long ones are cut
/// @param whole whether it is applied to documents of the collection, not to something in them
/// @param within the references by which it is reached
record SchemaPlace(
        BsonDocument document, @Nullable URI base, Draft draft, String path, boolean whole, Set<String> within) {
    private static final int MAX_STEP = 200;
    private static final int MAX_PATH = 2_000;

    static SchemaPlace root(BsonDocument schema, String uri, String name) {
        return new SchemaPlace(schema, URI.create(uri), Draft.of(schema), name + "#", true, Set.of(uri + "#"));
    }

    /// Cut, since names are chosen by clients: one long name must not be repeated for all subschemas below it.
    private String below(String step) {
        return path.length() > MAX_PATH ? path : path + "/" + ShortText.of(step, MAX_STEP);
    }

    /// A subschema for the same value.
    SchemaPlace at(String step) {
        return new SchemaPlace(document, base, draft, below(step), whole, within);
    }

    /// A subschema for something in the value.
    SchemaPlace inside(String step) {
        return new SchemaPlace(document, base, draft, below(step), false, within);
    }

    /// Behind an identifier of its own, to which references in it are relative.
    SchemaPlace withoutBase() {
        return new SchemaPlace(document, null, draft, path, whole, within);
    }

    /// What a reference refers to.
    ///
    /// @param key of the reference
    private SchemaPlace referred(BsonDocument other, URI uri, String key, String path) {
        var all = new HashSet<>(within);
        all.add(key);
        return new SchemaPlace(other, uri, Draft.of(other), path, whole, Set.copyOf(all));
    }

    /// What is referred to, or why it cannot be used.
    sealed interface Referred {
        record Found(BsonValue schema, SchemaPlace place) implements Referred {}

        record Unusable(String why) implements Referred {}
    }

    /// Finds what a reference in the subschema refers to, in the same schema or in another one of the stores.
    ///
    /// @param schemas by URI, without a fragment
    Referred find(String reference, Function<String, Optional<BsonDocument>> schemas) {
        if (base == null) {
            return new Referred.Unusable("relative to an id within the schema");
        }
        URI target;
        try {
            target = base.resolve(new URI(reference));
        } catch (URISyntaxException _) {
            return new Referred.Unusable("no URI");
        }
        var pointer = Optional.ofNullable(target.getRawFragment()).orElse("");
        if (!pointer.isEmpty() && !pointer.startsWith("/")) {
            return new Referred.Unusable("to an anchor");
        }
        var uri = withoutFragment(target.toString());
        var key = uri + "#" + pointer;
        if (within.contains(key)) {
            return new Referred.Unusable("to a schema that it is a part of");
        }
        var found = uri.equals(base.toString()) ? Optional.of(document) : schemas.apply(uri);
        if (found.isEmpty()) {
            return new Referred.Unusable("to a schema that is not in a store");
        }
        var schema = JsonPointer.find(found.get(), pointer);
        return schema == null
                ? new Referred.Unusable("to nothing")
                : new Referred.Found(schema, referred(found.get(), URI.create(uri), key, shown(uri, pointer)));
    }

    private static String withoutFragment(String uri) {
        int hash = uri.indexOf('#');
        return hash < 0 ? uri : uri.substring(0, hash);
    }

    private static String shown(String uri, String pointer) {
        return uri.substring(uri.lastIndexOf('/') + 1) + "#" + pointer;
    }

    /// The draft of a schema, by its `$schema`.
    enum Draft {
        V4,
        V6,
        V7,
        V2019,
        V2020;

        static Draft of(BsonDocument schema) {
            var named = schema.get("$schema") instanceof BsonString text ? text.getValue() : "";
            if (named.contains("draft-06")) {
                return V6;
            }
            if (named.contains("draft-07")) {
                return V7;
            }
            if (named.contains("2019-09")) {
                return V2019;
            }
            return named.contains("2020-12") ? V2020 : V4;
        }

        boolean isSince(Draft other) {
            return compareTo(other) >= 0;
        }
    }
}

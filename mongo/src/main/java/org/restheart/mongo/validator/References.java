package org.restheart.mongo.validator;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.schema.JsonPointer;

/// Finds what `$ref` refers to, in the same schema or in another one of the stores.
///
/// @param schemas by URI, without a fragment
record References(Function<String, Optional<BsonDocument>> schemas) {
    /// What is referred to, or why it cannot be used.
    sealed interface Referred {
        record Found(BsonValue schema, SchemaPlace place) implements Referred {}

        record Unusable(String why) implements Referred {}
    }

    Referred find(String reference, SchemaPlace from) {
        if (from.base() == null) {
            return new Referred.Unusable("relative to an id within the schema");
        }
        URI target;
        try {
            target = from.base().resolve(new URI(reference));
        } catch (URISyntaxException _) {
            return new Referred.Unusable("no URI");
        }
        var pointer = Optional.ofNullable(target.getRawFragment()).orElse("");
        if (!pointer.isEmpty() && !pointer.startsWith("/")) {
            return new Referred.Unusable("to an anchor");
        }
        var uri = withoutFragment(target.toString());
        var key = uri + "#" + pointer;
        if (from.within().contains(key)) {
            return new Referred.Unusable("to a schema that it is a part of");
        }
        var document = uri.equals(from.base().toString()) ? Optional.of(from.document()) : schemas.apply(uri);
        if (document.isEmpty()) {
            return new Referred.Unusable("to a schema that is not in a store");
        }
        var schema = JsonPointer.find(document.get(), pointer);
        return schema == null
                ? new Referred.Unusable("to nothing")
                : new Referred.Found(schema, from.referred(document.get(), URI.create(uri), key, shown(uri, pointer)));
    }

    private static String withoutFragment(String uri) {
        int hash = uri.indexOf('#');
        return hash < 0 ? uri : uri.substring(0, hash);
    }

    private static String shown(String uri, String pointer) {
        return uri.substring(uri.lastIndexOf('/') + 1) + "#" + pointer;
    }
}

package org.restheart.mongo;

import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.mongo.exchange.DocumentRule;
import org.restheart.mongo.metadata.Known;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;

/// The rules for documents that requests write.
record DocumentRules(Schemas schemas, SchemaAccess access) {
    /// The rule for documents of the path's collection, or for schemas of its store.
    Optional<DocumentRule> of(Request request, ResourcePath path, Known resource) {
        if (path.kind().isSchemas()) {
            return Optional.of(access.ofSchemas(request, path.requireDb()));
        }
        return path.collection() == null ? Optional.empty() : schemas.of(request, path.requireDb(), resource);
    }
}

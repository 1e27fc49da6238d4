package org.restheart.mongo;

import com.mongodb.MongoNamespace;
import java.util.function.Supplier;
import org.restheart.http.Method;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.resultcache.WriteCounters;
import org.restheart.mongo.schema.Schemas;

/// Invalidates what is cached of MongoDB's content when requests write to it. Thread-safe.
///
/// @param descriptions are invalidated by changes of the structure
/// @param schemas are compiled again after changes of schema stores
/// @param writes is notified of every write
record WriteInvalidation(Descriptions descriptions, Schemas schemas, WriteCounters writes) {
    /// Invalidates cached results after a write, also after a failed one, part of which may have been done.
    Response around(ResourcePath path, Method method, Supplier<Response> write) {
        try {
            return write.get().whenDone(() -> written(path, method));
        } finally {
            written(path, method);
        }
    }

    private void written(ResourcePath path, Method method) {
        if (path.db() != null && changesStructure(path.kind(), method)) {
            descriptions.forget(path.db());
        }
        if (path.kind().isSchemas() || path.kind() == ResourceKind.DB) {
            schemas.changed();
        }
        if (path.db() == null || path.collection() == null) {
            writes.writtenAnywhere();
        } else {
            writes.written(new MongoNamespace(path.db(), path.collection()));
        }
    }

    private static boolean changesStructure(ResourceKind kind, Method method) {
        return switch (kind) {
            case DB, INDEX, COLLECTION_VALIDATOR, SCHEMA_STORE, SCHEMA, BULK_SCHEMAS -> true;
            case COLLECTION, FILES_BUCKET -> method != Method.POST;
            default -> false;
        };
    }
}

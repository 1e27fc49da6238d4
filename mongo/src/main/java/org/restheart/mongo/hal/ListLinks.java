package org.restheart.mongo.hal;

import java.util.Optional;
import java.util.OptionalLong;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.resource.IdSpelling;
import org.restheart.mongo.resource.ResourcePath;

/// The links of lists. Links to resources that are not mounted are left out.
final class ListLinks {
    private ListLinks() {}

    static void self(Links links, DataRequest request, OptionalLong size) {
        var uri = RequestUri.of(request);
        links.add("self", uri.self());
        uri.addPages(links, request.parameters().find().paging(), size);
    }

    /// Links to the aggregations and change streams that a collection declares.
    static void declared(Links links, DataRequest request) {
        request.resource().properties().ifPresent(properties -> {
            declared(links, request, properties.get("aggrs"), "_aggrs");
            declared(links, request, properties.get("streams"), "_streams");
        });
    }

    private static void declared(Links links, DataRequest request, @Nullable BsonValue list, String segment) {
        if (list == null || !list.isArray()) {
            return;
        }
        var parent = RequestUri.of(request).below(segment);
        for (var entry : list.asArray()) {
            if (entry.isDocument() && entry.asDocument().isString("uri")) {
                var name = entry.asDocument().getString("uri").getValue();
                links.add(name, RequestUri.below(parent, IdSpelling.encode(name)));
            }
        }
    }

    static void ofCollection(Links links, DataRequest request) {
        var uri = RequestUri.of(request);
        boolean bucket = request.path().kind() == ResourceKind.FILES_BUCKET;
        boolean schemas = request.path().kind() == ResourceKind.SCHEMA_STORE;
        request.uriSpace().pathOf(request.path().requireDb()).ifPresent(parent -> {
            links.add("rh:db", parent);
            if (bucket) {
                links.addTemplate("rh:bucket", RequestUri.below(parent, "{bucketname}.files"));
            } else if (!schemas) {
                links.addTemplate("rh:coll", RequestUri.below(parent, "{collname}"));
            }
        });
        if (bucket) {
            links.addTemplate("rh:file", uri.below("{fileid}{?id_type}"));
        } else if (schemas) {
            links.addTemplate("rh:schema", uri.below("{schemaid}{?id_type}"));
        } else {
            links.addTemplate("rh:document", uri.below("{docid}{?id_type}"));
        }
        if (!schemas) {
            links.add("rh:indexes", uri.below("_indexes"));
        }
        links.addTemplate("rh:filter", uri.path() + "{?filter}")
                .addTemplate("rh:sort", uri.path() + "{?sort_by}")
                .addTemplate("rh:paging", paging(uri));
    }

    static void ofDatabase(Links links, DataRequest request) {
        var uri = RequestUri.of(request);
        request.uriSpace()
                .pathOf()
                .ifPresent(root -> links.add("rh:root", root).addTemplate("rh:db", RequestUri.below(root, "{dbname}")));
        links.addTemplate("rh:coll", uri.below("{collname}"))
                .addTemplate("rh:bucket", uri.below("{bucketname}.files"))
                .addTemplate("rh:paging", paging(uri));
    }

    static void ofRoot(Links links, DataRequest request) {
        var uri = RequestUri.of(request);
        links.add("rh:root", uri.path())
                .addTemplate("rh:db", uri.below("{dbname}"))
                .addTemplate("rh:paging", paging(uri));
    }

    private static String paging(RequestUri uri) {
        return uri.path() + "{?page}{&pagesize}";
    }

    static void ofIndexes(Links links, DataRequest request) {
        var uri = RequestUri.of(request);
        links.add("self", uri.self());
        var relation = ResourcePath.kindOf(request.path().requireCollection()) == ResourceKind.FILES_BUCKET
                ? "rh:bucket"
                : "rh:coll";
        parent(request).ifPresent(collection -> links.add(relation, collection));
        links.add("rh:indexes", uri.path());
    }

    static void ofAggregation(Links links, DataRequest request) {
        links.add("self", RequestUri.of(request).self());
        parent(request).ifPresent(collection -> links.add("rh:collection", collection));
    }

    /// The collection of a resource in it.
    static Optional<String> parent(DataRequest request) {
        return request.uriSpace()
                .pathOf(request.path().requireDb(), request.path().requireCollection());
    }
}

package org.restheart.rest.hal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.RequestPath;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.RequestKind;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.parameter.AfterParameter;
import org.restheart.rest.parameter.FindParameters.Paging;
import org.restheart.rest.resource.IdSpelling;
import org.restheart.rest.resource.ResourcePath;

/// The `_links` of one resource, in order. Links to resources that are not mounted are left out. Confined to one
/// request.
final class Links {
    static final String MEMBER = "_links";

    /// The properties with what a collection declares, in order, and the segments behind which that is.
    private static final SortedMap<String, String> DECLARED =
            new TreeMap<>(Map.of("aggrs", "_aggrs", "streams", "_streams"));

    private final BsonDocument links = new BsonDocument();

    Links add(String relation, String href) {
        links.append(relation, new BsonDocument("href", new BsonString(href)));
        return this;
    }

    /// A URI template (RFC 6570).
    Links addTemplate(String relation, String template) {
        links.append(
                relation, new BsonDocument("href", new BsonString(template)).append("templated", BsonBoolean.TRUE));
        return this;
    }

    boolean isEmpty() {
        return links.isEmpty();
    }

    BsonDocument toDocument() {
        return links;
    }

    /// A list, and its pages.
    Links addSelf(DataRequest request, OptionalLong size) {
        var uri = RequestUri.of(request);
        add("self", uri.self());
        uri.addPages(this, request.parameters().find().paging(), size);
        return this;
    }

    /// Links to the aggregations and change streams that a collection declares.
    void addDeclared(DataRequest request, BsonDocument properties) {
        DECLARED.forEach((property, segment) -> {
            var parent = RequestUri.of(request).below(segment);
            NamedEntries.of(properties.get(property))
                    .keySet()
                    .forEach(name ->
                            IdSpelling.segment(name).ifPresent(last -> add(name, RequestUri.below(parent, last))));
        });
    }

    /// The properties of the collection without the aggregations and change streams that rules let this caller never
    /// run.
    static BsonDocument permitted(DataRequest request, BsonDocument stored, JudgedRequests judged) {
        var properties = new BsonDocument();
        properties.putAll(stored);
        DECLARED.forEach((property, segment) -> {
            if (stored.get(property) instanceof BsonArray list) {
                var path = new ArrayList<>(request.http().path().segments());
                path.add(segment);
                properties.put(
                        property,
                        new BsonArray(list.stream()
                                .filter(entry -> name(entry)
                                        .map(name -> mayRun(request, path, name, judged))
                                        .orElse(true))
                                .toList()));
            }
        });
        return properties;
    }

    private static boolean mayRun(DataRequest request, List<String> parent, String name, JudgedRequests judged) {
        var path = new ArrayList<>(parent);
        path.add(name);
        return judged.mayAllow(request.http(), RequestKind.of(Method.GET, RequestPath.of(path), Set.of(), true));
    }

    private static Optional<String> name(BsonValue entry) {
        return entry instanceof BsonDocument declared ? BsonTexts.of(declared, "uri") : Optional.empty();
    }

    void addCollection(DataRequest request) {
        var uri = RequestUri.of(request);
        boolean bucket = request.path().kind() == ResourceKind.FILES_BUCKET;
        boolean schemas = request.path().kind() == ResourceKind.SCHEMA_STORE;
        request.uriSpace().pathOf(request.path().requireDb()).ifPresent(parent -> {
            add("rh:db", parent);
            if (bucket) {
                addTemplate("rh:bucket", RequestUri.below(parent, "{bucketname}.files"));
            } else if (!schemas) {
                addTemplate("rh:coll", RequestUri.below(parent, "{collname}"));
            }
        });
        if (bucket) {
            addTemplate("rh:file", uri.below("{fileid}{?id_type}"));
        } else if (schemas) {
            addTemplate("rh:schema", uri.below("{schemaid}{?id_type}"));
        } else {
            addTemplate("rh:document", uri.below("{docid}{?id_type}"));
        }
        if (!schemas) {
            add("rh:indexes", uri.below("_indexes"));
        }
        addTemplate("rh:filter", uri.path() + "{?filter}").addTemplate("rh:sort", uri.path() + "{?sort_by}");
        addPaging(uri);
    }

    void addDatabase(DataRequest request) {
        var uri = RequestUri.of(request);
        request.uriSpace()
                .pathOf()
                .ifPresent(root -> add("rh:root", root).addTemplate("rh:db", RequestUri.below(root, "{dbname}")));
        addTemplate("rh:coll", uri.below("{collname}")).addTemplate("rh:bucket", uri.below("{bucketname}.files"));
        addPaging(uri);
    }

    void addRoot(DataRequest request) {
        var uri = RequestUri.of(request);
        add("rh:root", uri.path()).addTemplate("rh:db", uri.below("{dbname}"));
        addPaging(uri);
    }

    private void addPaging(RequestUri uri) {
        addTemplate("rh:paging", uri.path() + "{?page}{&pagesize}");
    }

    void addIndexes(DataRequest request) {
        var uri = RequestUri.of(request);
        add("self", uri.self());
        var relation = ResourcePath.kindOf(request.path().requireCollection()) == ResourceKind.FILES_BUCKET
                ? "rh:bucket"
                : "rh:coll";
        parent(request).ifPresent(collection -> add(relation, collection));
        add("rh:indexes", uri.path());
    }

    void addAggregation(DataRequest request) {
        add("self", RequestUri.of(request).self());
        parent(request).ifPresent(collection -> add("rh:collection", collection));
    }

    static Optional<String> parent(DataRequest request) {
        return request.uriSpace()
                .pathOf(request.path().requireDb(), request.path().requireCollection());
    }

    /// The request's URI and its variations in links, with parameters decoded and sorted by name.
    record RequestUri(String path, Query query) {
        private static final Set<String> SLICE = Set.of("page", "pagesize", AfterParameter.NAME);

        static RequestUri of(DataRequest request) {
            return new RequestUri(request.selfPath(), request.http().query());
        }

        String self() {
            var parameters = parameters(Set.of());
            return parameters.isEmpty() ? path : path + "?" + parameters;
        }

        private String firstPage(int pageSize) {
            return slice("pagesize=" + pageSize);
        }

        private String page(long page, int pageSize) {
            return slice("page=" + page + "&pagesize=" + pageSize);
        }

        /// The same query for another slice.
        private String slice(String slice) {
            var others = parameters(SLICE);
            return path + "?" + slice + (others.isEmpty() ? "" : "&" + others);
        }

        private String parameters(Set<String> except) {
            var all = new ArrayList<String>();
            query.names().stream()
                    .sorted()
                    .filter(name -> !except.contains(name))
                    .forEach(name -> query.all(name).forEach(value -> all.add(name + "=" + value)));
            return String.join("&", all);
        }

        /// @param path starts with `/`
        static String below(String path, String segment) {
            return path.endsWith("/") ? path + segment : path + "/" + segment;
        }

        String below(String segment) {
            return below(path, segment);
        }

        /// @param size of the whole list, if it is known
        void addPages(Links links, Paging paging, OptionalLong size) {
            int pageSize = paging.pageSize();
            if (pageSize == 0) {
                return;
            }
            links.add("first", firstPage(pageSize));
            if (query.has(AfterParameter.NAME)) {
                return; // the number of that page is unknown
            }
            if (size.isPresent()) {
                long last = Math.ceilDiv(size.getAsLong(), pageSize);
                links.add("last", last > 1 ? page(last, pageSize) : firstPage(pageSize));
                if (paging.page() < last) {
                    links.add("next", page(paging.page() + 1L, pageSize));
                }
            } else {
                links.add("next", page(paging.page() + 1L, pageSize));
            }
            if (paging.page() > 1) {
                links.add("previous", page(paging.page() - 1L, pageSize));
            }
        }
    }
}

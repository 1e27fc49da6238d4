package org.restheart.rest.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Operation.Structure;
import org.restheart.http.FoundWarnings;
import org.restheart.http.KnownKeys;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.aggregation.Aggregation;
import org.restheart.rest.changestream.StreamDefinitions;
import org.restheart.rest.content.ContentSize;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.hal.HalPages;

/// Warnings about properties of a collection that will fail, or have no effect, when they are used. They are stored
/// nevertheless, as in earlier versions.
public final class PropertyWarnings {
    private static final KnownKeys WITH_MEANING = KnownKeys.of("""
        addRequestProperties aggrs cacheControl checkContentSize etagDocPolicy etagPolicy jsonMode jsonSchema mongo rels streams
        """).meantBy("aggregations=aggrs relationships=rels");

    /// Properties without an effect that somebody may nevertheless write to describe the collection.
    private static final Set<String> NOTES = Set.of("comment", "descr", "description");

    private static final KnownKeys SCHEMA_KEYS = KnownKeys.of("schemaId schemaStoreDb skipNotSupported");

    /// Where documents are written.
    private static final String DOCUMENT = "the collection's path with /ID, or sent to it by POST";

    private PropertyWarnings() {}

    /// @param request that has been carried out; nothing is said about requests for other resources
    public static List<String> of(Request request) {
        var target = request.require(DataTarget.KEY);
        boolean writes = target.operation() == Structure.CREATE || target.operation() == Structure.ALTER;
        if (!writes || !target.kind().isCollection()) {
            return List.of();
        }
        var warnings = new ArrayList<String>();
        if (request.require(RequestContent.KEY).value() instanceof BsonDocument content) {
            content.forEach((name, value) -> {
                if (name.equals("$set") && value instanceof BsonDocument set) {
                    set.forEach((path, part) -> addTo(warnings, path, part));
                } else {
                    addTo(warnings, name, value);
                }
            });
        }
        return warnings;
    }

    /// Adds a warning if a request without content replaced properties by none. Their names may be hidden from the
    /// caller.
    ///
    /// @param request that has been carried out, with the metadata from before
    static void ofRemoved(DataRequest request) {
        boolean removed = request.http().body().isEmpty()
                && request.contentDocument().isEmpty()
                && former(request).anyMatch(name -> !name.equals("_id") && !name.equals(EntityTags.FIELD));
        if (removed) {
            FoundWarnings.add(
                    request.http(),
                    "no content: all properties of the "
                            + (request.path().kind() == ResourceKind.DB ? "database" : "collection")
                            + " are replaced by none; PATCH changes some of them");
        }
    }

    private static Stream<String> former(DataRequest request) {
        var former = request.resource();
        return former.properties().filter(_ -> former.exists()).stream()
                .flatMap(all -> all.keySet().stream())
                .sorted();
    }

    /// Adds warnings about what a request that replaces the properties removes, and that it seems to mean a document.
    ///
    /// @param request that has been carried out, with the metadata from before
    static void ofReplaced(DataRequest request, BsonDocument sent) {
        ofRemoved(request);
        var removed = former(request)
                .filter(name -> WITH_MEANING.known().contains(name) && !sent.containsKey(name))
                .toList();
        if (!removed.isEmpty()) {
            FoundWarnings.add(
                    request.http(),
                    "the content replaces all properties of the collection: it has no longer "
                            + String.join(", ", removed) + "; PATCH changes some of them. Documents are written to "
                            + DOCUMENT);
        } else if (isOfDocument(request, sent.get("_id"))) {
            FoundWarnings.add(
                    request.http(),
                    "_id is not stored: the content is the properties of the collection. Documents are written to "
                            + DOCUMENT);
        } else {
            ofUnknown(request, sent);
        }
    }

    /// Adds a warning if none of several properties has a meaning: the content may have been meant as a document.
    ///
    /// @param request that has been carried out
    static void ofUnknown(DataRequest request, BsonDocument sent) {
        var names = sent.get("$set") instanceof BsonDocument set ? set.keySet() : sent.keySet();
        boolean unknown = names.size() > 1
                && names.stream()
                        .noneMatch(name -> name.startsWith("_")
                                || name.startsWith("$")
                                || NOTES.contains(name)
                                || WITH_MEANING.near(name.split("\\.", 2)[0]).isPresent());
        if (unknown && request.path().kind() == ResourceKind.COLLECTION) {
            FoundWarnings.add(
                    request.http(),
                    "the content is stored as properties of the collection, none of which has a meaning. Documents are"
                            + " written to " + DOCUMENT);
        }
    }

    /// Whether an id is another than the API shows for the properties themselves.
    private static boolean isOfDocument(DataRequest request, @Nullable BsonValue id) {
        return id != null
                && !(id instanceof BsonString text
                        && (text.getValue().startsWith("_")
                                || text.getValue().equals(request.path().requireCollection())));
    }

    private static void addTo(List<String> warnings, String name, BsonValue value) {
        if (value.isNull() || name.startsWith("$") || name.contains(".")) {
            return;
        }
        switch (name) {
            case "aggrs" -> warnings.addAll(Aggregation.warnings(value));
            case "rels" -> warnings.addAll(HalPages.relationshipWarnings(value));
            case "streams" -> warnings.addAll(StreamDefinitions.warnings(value));
            case "jsonSchema" -> addSchema(warnings, value);
            case "etagDocPolicy", "etagPolicy" -> {
                if (!Preconditions.isPolicy(value)) {
                    warnings.add(name + " has no effect: it must be OPTIONAL, REQUIRED or REQUIRED_FOR_DELETE");
                }
            }
            case Caching.PROPERTY -> {
                if (!Caching.isControl(value)) {
                    warnings.add("cacheControl has no effect: it must be a string such as \"private, max-age=5\"");
                }
            }
            case "checkContentSize" -> warnings.addAll(ContentSize.warnings(value));
            case "addRequestProperties" -> warnings.addAll(ServerFields.warnings(value));
            default -> {
                if (!WITH_MEANING.known().contains(name)) {
                    WITH_MEANING
                            .near(name)
                            .ifPresent(near -> warnings.add(
                                    "the property " + name + " has no effect; did you mean " + near + "?"));
                }
            }
        }
    }

    private static void addSchema(List<String> warnings, BsonValue value) {
        if (!(value instanceof BsonDocument schema)) {
            warnings.add("jsonSchema has no effect, since it is no object: {\"schemaId\": ...}");
        } else {
            if (!schema.containsKey("schemaId")) {
                warnings.add("every write of a document will fail: jsonSchema has no schemaId");
            }
            warnings.addAll(SCHEMA_KEYS.warnings("jsonSchema", schema));
        }
    }
}

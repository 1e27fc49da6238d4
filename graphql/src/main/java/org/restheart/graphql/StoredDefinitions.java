package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.data.Access;
import org.restheart.graphql.app.AppUris;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadQuery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads stored definitions, and decides which one is served at a path. Thread-safe.
final class StoredDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(StoredDefinitions.class);

    /// The most definitions that one query returns.
    private static final int MAX = 1_000;

    /// Paths whose definitions one query asks for. MongoDB refuses patterns of more than 32 KiB, so that the query has
    /// less than 16 MiB. Few definitions claim one path, unless they were stored by other ways than this server's.
    private static final int PATHS_PER_QUERY = 100;

    private static final BsonObjectId NO_TAG = new BsonObjectId(new ObjectId(new byte[12]));
    private static final Comparator<RawBsonDocument> BY_AGE =
            Comparator.comparing(StoredDefinitions::age).thenComparing(AppUris::nameOf);

    private final DocumentReads reads;
    private final String collection;

    /// The sets of apps with one path of which the log has been told.
    private final Set<List<String>> collisions = ConcurrentHashMap.newKeySet();

    StoredDefinitions(DocumentReads reads, String collection) {
        this.reads = reads;
        this.collection = collection;
    }

    /// The first ones of a database, in the order of their ids.
    List<RawBsonDocument> all(String database) {
        return find(database, new BsonDocument());
    }

    /// Definitions that are written through this server do not claim the path of another. Of those that were
    /// stored in other ways, or by two servers at the same moment, all servers serve the oldest one that is
    /// enabled. Who may write definitions cannot choose an entity tag, so that no later definition takes
    /// the path of an earlier one, which keeps its tag: while there are two, neither can be changed.
    Optional<RawBsonDocument> served(String uri, List<RawBsonDocument> candidates) {
        var owners = candidates.stream()
                .filter(definition -> AppUris.of(definition).own().equals(Optional.of(uri)))
                .toList();
        if (owners.isEmpty()) {
            return candidates.stream().findFirst(); // by its id, which is unique
        }
        var enabled = owners.stream()
                .filter(definition -> AppUris.of(definition).isEnabled())
                .sorted(BY_AGE)
                .toList();
        if (enabled.size() > 1) {
            warn(uri, enabled);
        }
        return (enabled.isEmpty() ? owners : enabled).stream().findFirst();
    }

    private void warn(String uri, List<RawBsonDocument> enabled) {
        var names = enabled.stream().limit(10).map(AppUris::nameOf).toList();
        if (collisions.size() > MAX) {
            collisions.clear();
        }
        if (collisions.add(names)) {
            LOG.warn("These GraphQL apps have the same path /{}, at which the first is served: {}", uri, names);
        }
    }

    /// Definitions without an entity tag of a server were stored by other programs and count as the oldest.
    private static BsonObjectId age(RawBsonDocument definition) {
        return definition.get(EntityTags.FIELD) instanceof BsonObjectId tag ? tag : NO_TAG;
    }

    /// The definitions that are to be served at each of these paths, disabled ones too; nothing for a path without any.
    Map<String, List<RawBsonDocument>> candidates(String database, Collection<String> uris) {
        var found = new HashMap<String, List<RawBsonDocument>>();
        var asked = uris.stream()
                .filter(uri -> uri.indexOf('\0') < 0) // which no pattern can contain, and no path has
                .distinct()
                .toList();
        for (int from = 0; from < asked.size(); from += PATHS_PER_QUERY) {
            var some = Set.copyOf(asked.subList(from, Math.min(asked.size(), from + PATHS_PER_QUERY)));
            for (var definition : find(database, claiming(some))) {
                for (var uri : AppUris.of(definition).all()) {
                    if (some.contains(uri)) {
                        found.computeIfAbsent(uri, _ -> new ArrayList<>()).add(definition);
                    }
                }
            }
        }
        return found;
    }

    /// The patterns do not depend on the collation of the collection, which may not distinguish cases.
    private static BsonDocument claiming(Set<String> uris) {
        var declared = new BsonArray();
        var named = new BsonArray();
        for (var uri : uris) {
            declared.add(new BsonRegularExpression("^/*" + Pattern.quote(uri) + "/*\\z"));
            named.add(new BsonRegularExpression("^" + Pattern.quote(uri) + "\\z"));
        }
        return new BsonDocument(
                "$or",
                new BsonArray(List.of(
                        new BsonDocument("descriptor.uri", new BsonDocument("$in", declared)),
                        new BsonDocument("_id", new BsonDocument("$in", named)))));
    }

    private List<RawBsonDocument> find(String database, BsonDocument filter) {
        var namespace = new MongoNamespace(database, collection);
        var query = new ReadQuery(
                namespace, filter, new BsonDocument("_id", new BsonInt32(1)), 0, MAX, Duration.ZERO, new Access.Root());
        try {
            return reads.find(query).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}

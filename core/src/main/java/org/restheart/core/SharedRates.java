package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.ReplaceOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.core.filter.RateLimits;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.background.BackgroundTasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets gateways count the requests of addresses and accounts together: twice a second each stores what it
/// admitted in a document of its own, and reads those of the others. While MongoDB cannot be reached each
/// counts for itself. Used by one thread at a time.
final class SharedRates {
    private static final Logger LOG = LoggerFactory.getLogger(SharedRates.class);
    private static final Duration PERIOD = Duration.ofMillis(500);

    /// After this time without reports, MongoDB removes the document of a gateway.
    private static final long KEPT_SECONDS = 60;

    /// The number of reports in a document, so that a gateway that reads late misses none.
    private static final int REPORTS = 8;

    /// Those that are remembered; each start of a gateway counts as one.
    private static final int MOST_GATEWAYS = 1_000;

    private final MongoCollection<BsonDocument> collection;
    private final RateLimits limits;
    private final BsonString instance = new BsonString(UUID.randomUUID().toString());
    private final Deque<BsonDocument> reports = new ArrayDeque<>();

    /// The last report of each gateway that was counted. Kept when MongoDB has removed the document of a gateway
    /// without requests: with the next ones it comes back with reports that were counted before.
    private final Map<String, Long> seen = new LinkedHashMap<>(16, 0.75F, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_GATEWAYS;
        }
    };

    private long last;
    private boolean indexed;

    private SharedRates(MongoClient client, MongoNamespace namespace, RateLimits limits) {
        this.collection = client.getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), BsonDocument.class);
        this.limits = limits;
    }

    static void start(BackgroundTasks tasks, MongoClient client, MongoNamespace namespace, RateLimits limits) {
        var rates = new SharedRates(client, namespace, limits);
        tasks.repeat("shared-rates", PERIOD, () -> CallerScope.call(CallerScope.SERVER, rates::exchange));
    }

    private boolean exchange() {
        try {
            store();
            read();
            return true;
        } catch (MongoException e) {
            LOG.debug("Requests are not counted together with other gateways at the moment", e);
            return false;
        }
    }

    private void store() {
        var report = limits.report();
        if (report.isEmpty()) {
            return;
        }
        reports.addLast(new BsonDocument("n", new BsonInt64(++last))
                .append("address", counts(report.byAddress()))
                .append("account", counts(report.byAccount())));
        if (reports.size() > REPORTS) {
            reports.removeFirst();
        }
        if (!indexed) {
            collection.createIndex(
                    new BsonDocument("at", new BsonInt32(1)),
                    new IndexOptions().expireAfter(KEPT_SECONDS, TimeUnit.SECONDS));
            indexed = true;
        }
        collection.replaceOne(
                Filters.eq("_id", instance),
                new BsonDocument("_id", instance)
                        .append("at", new BsonDateTime(System.currentTimeMillis()))
                        .append("reports", new BsonArray(List.copyOf(reports))),
                new ReplaceOptions().upsert(true));
    }

    private void read() {
        var others = collection.find(Filters.ne("_id", instance)).into(new ArrayList<>());
        for (var other : others) {
            long known = seen.getOrDefault(name(other), 0L);
            for (var each : other.getArray("reports")) {
                var report = each.asDocument();
                long number = report.getInt64("n").getValue();
                if (number > known) {
                    known = number;
                    limits.count(new RateLimits.Report(
                            counts(report.getArray("address")), counts(report.getArray("account"))));
                }
            }
            seen.put(name(other), known);
        }
    }

    private static String name(BsonDocument gateway) {
        return gateway.getString("_id").getValue();
    }

    /// As pairs: names may hold dots.
    private static BsonArray counts(Map<String, Long> requests) {
        var pairs = new BsonArray();
        requests.forEach(
                (name, count) -> pairs.add(new BsonArray(List.of(new BsonString(name), new BsonInt64(count)))));
        return pairs;
    }

    private static Map<String, Long> counts(BsonArray pairs) {
        var requests = new HashMap<String, Long>();
        for (var pair : pairs) {
            var values = pair.asArray();
            requests.put(
                    values.get(0).asString().getValue(), values.get(1).asInt64().getValue());
        }
        return requests;
    }
}

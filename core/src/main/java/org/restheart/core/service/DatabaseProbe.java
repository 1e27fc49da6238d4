package org.restheart.core.service;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.CallerScope;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `GET /health/db`: reports whether MongoDB responds. At most one ping is sent at a time, and its result serves all
/// requests within a second. Each address has a limit of its own for those that wait, and they have none together
/// besides that of all requests: a balancer whose probe is refused takes the gateway out.
public final class DatabaseProbe implements IoThreadService {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseProbe.class);
    private static final BsonDocument PING = new BsonDocument("ping", new BsonInt32(1));
    private static final Duration FRESH = Duration.ofSeconds(1);

    /// Of one address.
    private static final int MAX_WAITING = 15;

    private final MongoClient client;
    private final MongoDatabase database;
    private final ClientAddress clients;

    /// By address.
    private final ConcurrentMap<String, Integer> waiting = new ConcurrentHashMap<>();

    private final LoadingCache<BsonDocument, Ready> verdicts = Caffeine.newBuilder()
            .executor(Runnable::run)
            .expireAfterWrite(FRESH)
            .build(this::ask);

    private final BooleanSupplier stopping;

    /// @param stopping whether load balancers should send no more requests
    public DatabaseProbe(
            MongoClient client, String database, Duration timeout, BooleanSupplier stopping, ClientAddress clients) {
        this.stopping = stopping;
        this.clients = clients;
        this.client = client;
        this.database = client.getDatabase(database).withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Traffic traffic() {
        return Traffic.PROBE;
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, HEAD", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireRead();
        if (stopping.getAsBoolean()) {
            return error(503, "the server is stopping");
        }
        var known = verdicts.getIfPresent(PING);
        if (known != null) {
            return known;
        }
        request.requireThread();
        var address = clients.of(request);
        int own = waiting.merge(address, 1, Integer::sum);
        try {
            if (own > MAX_WAITING) {
                return error(429, "too many probes at once");
            }
            return verdicts.get(PING);
        } finally {
            waiting.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        }
    }

    private Ready ask(BsonDocument ping) {
        long began = System.nanoTime();
        try {
            CallerScope.call(CallerScope.SERVER, () -> database.runCommand(ping));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            return json(200, body("ok", "ping successful").append("latencyMs", new BsonInt64(millis)));
        } catch (MongoTimeoutException e) {
            if (client.getClusterDescription().getServerDescriptions().stream().noneMatch(ServerDescription::isOk)) {
                LOG.warn("MongoDB cannot be reached: {}", e.getMessage());
                return error(503, "MongoDB cannot be reached");
            }
            LOG.warn("MongoDB does not answer in time: {}", e.getMessage());
            return error(504, "MongoDB does not answer in time");
        } catch (MongoException e) {
            LOG.warn("MongoDB answers with an error: {}", e.getMessage());
            return error(503, "MongoDB answers with an error");
        }
    }

    private static Ready error(int status, String description) {
        return json(status, body("error", description));
    }

    private static BsonDocument body(String verdict, String description) {
        return new BsonDocument("status", new BsonString(verdict)).append("description", new BsonString(description));
    }

    private static Ready json(int status, BsonDocument body) {
        return Response.json(status, body.toJson());
    }
}

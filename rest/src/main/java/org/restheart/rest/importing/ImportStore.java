package org.restheart.rest.importing;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.min;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.metadata.ResourceNames;

/// Stores imports and their parts in MongoDB, so that any gateway can continue them. One atomic update records
/// the outcome of a part; the progress of an import is the sum over its parts. The gateway that writes an
/// import has a lease on it for [#LEASE], which it renews. Blocks; thread-safe.
final class ImportStore {
    static final Duration LEASE = Duration.ofMinutes(1);

    private static final long KEPT_DAYS = 7;

    /// The most imports of one payer; beyond it, the oldest that have ended are removed.
    private static final int MAX_KEPT = 100;

    /// The time after which the content of an import is no longer expected, if its gateway has stopped while it
    /// was received.
    private static final Duration ABANDONED = Duration.ofHours(1);

    private static final long BYTES_OF_JOB = 1024;

    /// Few, since they are in memory while a client takes its time.
    static final int REFUSED_AT_A_TIME = 100;

    private final MongoCollection<BsonDocument> jobs;
    private final MongoCollection<BsonDocument> parts;
    private final String self = UUID.randomUUID().toString();
    private volatile boolean indexed;

    ImportStore(MongoClient client, String db) {
        var database = client.getDatabase(db).withWriteConcern(WriteConcern.MAJORITY);
        this.jobs = database.getCollection(ResourceNames.IMPORTS, BsonDocument.class);
        this.parts = database.getCollection(ResourceNames.IMPORTS + ".parts", BsonDocument.class);
    }

    /// @param payer to whose limits it counts
    String create(Owner owner, String payer, String into, boolean upsert) {
        if (!indexed) {
            var kept = new IndexOptions().expireAfter(KEPT_DAYS, TimeUnit.DAYS);
            jobs.createIndex(Indexes.ascending("begun"), kept);
            jobs.createIndex(Indexes.ascending("owner", "begun"));
            jobs.createIndex(Indexes.ascending("payer", "begun"));
            parts.createIndex(Indexes.ascending("begun"), kept);
            parts.createIndex(Indexes.ascending("job", "n"), new IndexOptions().unique(true));
            indexed = true;
        }
        jobs.find(and(eq("state", "receiving"), lt("until", new BsonDateTime(now().getValue() - ABANDONED.toMillis()))))
                .forEach(job -> delete(job.getString("_id").getValue()));
        jobs.find(and(eq("payer", payer), in("state", "done", "stopped")))
                .sort(Sorts.descending("begun"))
                .skip(MAX_KEPT - 1)
                .into(new ArrayList<>())
                .forEach(job -> delete(job.getString("_id").getValue()));
        var id = UUID.randomUUID().toString();
        var job = new BsonDocument("_id", new BsonString(id))
                .append("owner", new BsonString(owner.account))
                .append("payer", new BsonString(payer))
                .append("into", new BsonString(into))
                .append("upsert", new BsonBoolean(upsert))
                .append("state", new BsonString("receiving"))
                .append("bytes", new BsonInt64(BYTES_OF_JOB))
                .append("by", new BsonString(self))
                .append("until", leaseEnd())
                .append("begun", now());
        owner.key.ifPresent(key -> job.append("key", new BsonString(key)));
        jobs.insertOne(job);
        return id;
    }

    private static BsonDateTime now() {
        return new BsonDateTime(System.currentTimeMillis());
    }

    /// The number of the payer's imports for which a gateway has a lease.
    long active(String payer) {
        return jobs.countDocuments(and(eq("payer", payer), in("state", "receiving", "running"), gt("until", now())));
    }

    /// Who sees an import: its account, and the API key with which it was begun; other keys of the account may have
    /// fewer rights.
    ///
    /// @param key empty for other credentials
    record Owner(String account, Optional<String> key) {
        private Bson filter() {
            return key.map(handle -> and(eq("owner", account), eq("key", handle)))
                    .orElseGet(() -> eq("owner", account));
        }
    }

    Optional<BsonDocument> find(String id, Owner owner) {
        return Optional.ofNullable(jobs.find(and(eq("_id", id), owner.filter())).first());
    }

    List<BsonDocument> all(Owner owner) {
        return jobs.find(owner.filter())
                .sort(Sorts.descending("begun"))
                .limit(MAX_KEPT)
                .into(new ArrayList<>());
    }

    /// @return whether the import still exists and this gateway has the lease
    boolean add(String job, ImportPart part) {
        parts.insertOne(part.toDocument(job).append("begun", now()));
        return jobs.updateOne(leased(job), combine(inc("bytes", part.bytes()), lease()))
                        .getMatchedCount()
                > 0;
    }

    /// Approximate numbers of stored bytes.
    record StoredBytes(long byPayer, long byAll) {}

    StoredBytes storedBytes(String payer) {
        var own = new BsonDocument(
                "$cond",
                new BsonArray(List.of(
                        new BsonDocument(
                                "$eq",
                                new BsonArray(List.of(
                                        new BsonString("$payer"),
                                        new BsonDocument("$literal", new BsonString(payer))))),
                        new BsonString("$bytes"),
                        new BsonInt64(0))));
        var sums = jobs.aggregate(List.of(
                        Aggregates.group(null, Accumulators.sum("own", own), Accumulators.sum("all", "$bytes"))))
                .first();
        return sums == null
                ? new StoredBytes(0, 0)
                : new StoredBytes(
                        sums.getNumber("own").longValue(), sums.getNumber("all").longValue());
    }

    /// Called when the content is complete and may be written.
    void received(String job, long documents) {
        jobs.updateOne(leased(job), combine(set("state", "running"), set("documents", documents), lease()));
    }

    private Bson leased(String job) {
        return and(eq("_id", job), eq("by", self));
    }

    private static BsonDateTime leaseEnd() {
        return new BsonDateTime(Instant.now().plus(LEASE).toEpochMilli());
    }

    private static Bson lease() {
        return set("until", leaseEnd());
    }

    /// Renews this gateway's lease for [#LEASE].
    ///
    /// @return false if another gateway has it
    boolean renew(String job) {
        return jobs.updateOne(and(leased(job), in("state", "receiving", "running")), lease())
                        .getMatchedCount()
                > 0;
    }

    /// Acquires the lease on an import that has stopped, or whose lease has expired.
    boolean acquire(String job) {
        var idle = or(eq("state", "stopped"), and(eq("state", "running"), lt("until", now())));
        var taken = jobs.updateOne(
                and(eq("_id", job), idle), combine(set("state", "running"), set("by", self), lease(), unset("reason")));
        return taken.getMatchedCount() > 0;
    }

    /// The next part without an outcome. Records that it is tried now, if it was not tried before.
    Optional<ImportPart> next(String job) {
        var tried = parts.findOneAndUpdate(
                and(eq("job", job), ne("done", true)),
                min(ImportPart.FIRST_ATTEMPT, now()),
                new FindOneAndUpdateOptions().sort(Sorts.ascending("n")).returnDocument(ReturnDocument.BEFORE));
        return Optional.ofNullable(tried).map(ImportPart::of);
    }

    /// Records the outcome of a part; the first one counts.
    ///
    /// @param listed whether refused documents are shown to clients
    void done(String job, ImportPart part, long stored, boolean listed) {
        var refused = part.refused();
        var done = parts.updateOne(
                and(eq("job", job), eq("n", part.number()), ne("done", true)),
                combine(
                        set("done", true),
                        set("stored", stored),
                        set("refusals", refused.size()),
                        set("refused", new BsonArray(listed ? refused : List.of())),
                        unset("content"),
                        unset("lines")));
        if (done.getModifiedCount() > 0) {
            jobs.updateOne(eq("_id", job), inc("bytes", part.growth(listed)));
        }
    }

    void end(String job, String state, Optional<String> reason) {
        jobs.updateOne(
                leased(job),
                combine(
                        set("state", state),
                        set("until", now()),
                        reason.map(text -> set("reason", text)).orElseGet(() -> unset("reason"))));
    }

    void delete(String job) {
        jobs.deleteOne(eq("_id", job));
        parts.deleteMany(eq("job", job));
    }

    /// The status that is shown to clients.
    BsonDocument status(BsonDocument job) {
        return statuses(List.of(job)).getFirst();
    }

    List<BsonDocument> statuses(List<BsonDocument> some) {
        var ids = some.stream().map(job -> job.get("_id")).toList();
        var sums = new HashMap<BsonValue, BsonDocument>();
        parts.aggregate(List.of(
                        Aggregates.match(and(in("job", ids), eq("done", true))),
                        Aggregates.group(
                                "$job",
                                Accumulators.sum("stored", "$stored"),
                                Accumulators.sum("refused", "$refusals"))))
                .forEach(sum -> sums.put(sum.get("_id"), sum));
        return some.stream().map(job -> status(job, sums.get(job.get("_id")))).toList();
    }

    private static BsonDocument status(BsonDocument job, @Nullable BsonDocument sums) {
        boolean idle = job.getDateTime("until").getValue() < System.currentTimeMillis();
        var state = job.getString("state").getValue();
        boolean interrupted = idle && (state.equals("running") || state.equals("receiving"));
        var status = new BsonDocument("_id", job.get("_id"))
                .append("state", new BsonString(interrupted ? "interrupted" : state))
                .append("into", job.get("into"));
        if (job.containsKey("reason")) {
            status.append("reason", job.get("reason"));
        }
        return status.append("documents", job.getOrDefault("documents", new BsonInt64(0)))
                .append("stored", sum(sums, "stored"))
                .append("refused", sum(sums, "refused"))
                .append("bytes", job.getOrDefault("bytes", new BsonInt64(0)))
                .append("begun", job.get("begun"));
    }

    private static BsonValue sum(@Nullable BsonDocument sums, String name) {
        return sums == null ? new BsonInt32(0) : sums.get(name, new BsonInt32(0));
    }

    /// The refused documents of completed parts, in the order of the content.
    MongoIterable<BsonDocument> refused(String job) {
        return parts.aggregate(List.of(
                        Aggregates.match(and(eq("job", job), eq("done", true))),
                        Aggregates.sort(Sorts.ascending("n")),
                        Aggregates.unwind("$refused"),
                        Aggregates.replaceRoot("$refused")))
                .batchSize(REFUSED_AT_A_TIME);
    }
}

package org.restheart.mongo.importing;

import com.mongodb.MongoException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;
import org.restheart.mongo.idempotency.Creation.NewIds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the parts of imports sequentially, each by a judged request of the account that owns the import, so
/// that permissions are evaluated for each part. Thread-safe.
///
/// @param running limits the imports that write at the same time, with fair shares for accounts; others wait
/// @param owners identifies accounts
/// @param maxBytes the most stored bytes for the imports of one payer
record ImportRun(
        ImportStore store,
        JudgedRequests judged,
        BackgroundTasks tasks,
        FairShares running,
        ImportOwners owners,
        long maxBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(ImportRun.class);
    private static final int ATTEMPTS = 6;
    private static final int SERVER_ERRORS = 500;

    /// The request that writes a part, or that determines whether one may be written.
    static JudgedRequest request(String into, boolean upsert, byte[] content, Attributes options) {
        return new JudgedRequest(
                Method.POST,
                RequestPath.parse(into),
                upsert ? Query.of(Map.of(DataParameter.WRITE_MODE.wireName(), "upsert")) : Query.NONE,
                Fields.of("Content-Type", BsonBytes.MEDIA_TYPE),
                Body.of(content),
                Via.REST,
                options);
    }

    /// @param outer the owner's request, without content
    void start(Request outer, String job, BsonDocument stored) {
        var task = CallerScope.carried(() -> {
            try {
                var reason = run(new Job(
                        outer,
                        job,
                        stored.getString("owner").getValue(),
                        stored.getString("payer").getValue(),
                        stored.getString("into").getValue(),
                        stored.getBoolean("upsert").getValue()));
                reason.ifPresent(text -> store.end(job, "stopped", Optional.of(text)));
            } catch (MongoException e) { // another gateway may continue when the lease expires
                LOG.warn("the import {} is interrupted", job, e);
            }
        });
        tasks.start("import", task);
    }

    /// @param outer the owner's request
    private record Job(Request outer, String id, String owner, String payer, String into, boolean upsert) {}

    /// @return the reason if it has stopped; empty if it is complete or another gateway has the lease
    private Optional<String> run(Job job) {
        var caller = CallerScope.current();
        while (!running.tryTake(caller)) {
            tasks.pause(Duration.ofSeconds(1));
            if (!tasks.isRunning() || !store.renew(job.id)) {
                return Optional.of("the gateway has stopped");
            }
        }
        try {
            while (tasks.isRunning()) {
                if (!store.renew(job.id)) {
                    return Optional.empty();
                }
                var part = store.next(job.id);
                if (part.isEmpty()) { // complete, whatever has become of the credentials since the last part
                    store.end(job.id, "done", Optional.empty());
                    return Optional.empty();
                }
                if (!owners.isStill(job.outer, job.owner)) {
                    return Optional.of("the credentials are no longer good");
                }
                var failure = write(job, part.get());
                if (failure.isPresent()) {
                    return failure;
                }
            }
            return Optional.of("the gateway has stopped");
        } finally {
            running.release(caller);
        }
    }

    private Optional<String> write(Job job, ImportPart part) {
        if (part.size() == 0) {
            done(job, part, 0);
            return Optional.empty();
        }
        var content = part.content();
        var last = "";
        for (int attempt = 1; attempt <= ATTEMPTS && tasks.isRunning(); attempt++) {
            var begun = Instant.now();
            var options = NewIds.again(part.tag(), part.firstAttempt());
            var request = request(job.into, job.upsert, content, options);
            try (var lease = job.outer
                    .lease()
                    .another(List.of(CallerScope.current()), List.of())) { // the owner's request has ended
                var report = judged.make(job.outer.with(lease), request)
                        .settled()
                        .said(DataWrite.Report.class); // none of writes that MongoDB does not acknowledge
                var errors = report.map(DataWrite.Report::errors).orElseGet(List::of);
                boolean complete = report.map(DataWrite.Report::complete).orElse(true);
                if (complete && (attempt == ATTEMPTS || !hasBlocked(errors))) {
                    refuse(job, part, errors);
                    done(job, part, part.size() - errors.size());
                    return Optional.empty();
                }
                last = complete ? "documents are locked by transactions" : "MongoDB failed";
            } catch (ProblemException e) {
                last = e.problem().status() + " " + e.problem().message();
                if (e.problem().status() < SERVER_ERRORS) {
                    return Optional.of(last);
                }
            }
            part.failed(begun);
            tasks.pause(Duration.ofSeconds(attempt));
            store.renew(job.id);
        }
        return Optional.of(last);
    }

    /// Refused documents are counted, and listed unless the account's limit of stored bytes is reached: their
    /// messages can be longer than the documents.
    private void done(Job job, ImportPart part, long stored) {
        long growth = part.growth(true);
        boolean listed = growth <= 0 || store.storedBytes(job.payer).byPayer() + growth <= maxBytes;
        store.done(job.id, part, stored, listed);
    }

    /// Whether documents could not be written because transactions have locked them: that ends.
    private static boolean hasBlocked(List<BsonDocument> errors) {
        return errors.stream().anyMatch(error -> error.getNumber("httpStatus").intValue() >= SERVER_ERRORS);
    }

    private static void refuse(Job job, ImportPart part, List<BsonDocument> errors) {
        for (var error : errors) {
            // content that access rules inspect is written as an array
            int index = error.containsKey("line")
                    ? error.getNumber("line").intValue() - 1
                    : error.getNumber("index").intValue();
            int status = error.getNumber("httpStatus").intValue();
            var why = status == 409 ? conflict(job, part) : "";
            part.refuse(
                    part.line(index),
                    status,
                    error.getString("message", new BsonString(why)).getValue());
        }
    }

    private static String conflict(Job job, ImportPart part) {
        return job.upsert && part.firstAttempt().isPresent()
                ? "the document was changed after the first attempt to write it, or may not be replaced"
                : "a document with this _id is there already";
    }
}

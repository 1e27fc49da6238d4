package org.restheart.webhooks;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.restheart.webhooks.Hook.Event;

/// What is stored of one hook: which gateway follows its collection, how far it is, and the changes that its target has
/// not taken. Thread-safe.
final class HookStore {
    /// Bytes of JSON that are kept of a change; its escapes may have made it larger than a document may be.
    private static final int LARGEST = 8 << 20;

    /// What a byte of it takes besides: as a text, and in the command, whose buffer grows.
    private static final int COPIES = 5;

    private static final String ABSENT = "eventAbsent";

    private final MongoCollection<BsonDocument> states;
    private final MongoCollection<BsonDocument> failures;
    private final String hook;
    private final Duration lease;
    private final String owner = UUID.randomUUID().toString();

    /// @param lease after which another gateway follows if this one has not said that it still does
    HookStore(MongoDatabase database, String states, String failures, String hook, Duration lease) {
        this.states = database.getCollection(states, BsonDocument.class);
        this.failures = database.getCollection(failures, BsonDocument.class);
        this.hook = hook;
        this.lease = lease;
    }

    Duration lease() {
        return lease;
    }

    /// Makes the state if there is none.
    void create() {
        states.updateOne(
                Filters.eq(new BsonString(hook)),
                BsonDocument.parse("{$setOnInsert: {until: {$date: 0}}}"),
                new UpdateOptions().upsert(true));
    }

    /// Takes the lease, or prolongs it, by MongoDB's clock.
    ///
    /// @param token to be stored; null for the one that is
    /// @return the state; empty if another gateway has the lease
    Optional<BsonDocument> lease(@Nullable BsonDocument token) {
        var free = BsonDocument.parse("{$expr: {$lt: [{$ifNull: ['$until', 0]}, '$$NOW']}}");
        var set = BsonDocument.parse("{until: {$add: ['$$NOW', " + lease.toMillis() + "]}}")
                .append("owner", new BsonString(owner));
        if (token != null) {
            set.append("token", new BsonDocument("$literal", token));
        }
        return Optional.ofNullable(states.findOneAndUpdate(
                Filters.and(Filters.eq(new BsonString(hook)), Filters.or(Filters.eq("owner", owner), free)),
                List.<Bson>of(new BsonDocument("$set", set)),
                new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER)));
    }

    /// Leaves it to another gateway, or to this one after its next start.
    void release() {
        unset("{$unset: {until: 1, owner: 1}}");
    }

    /// Forgets how far it is.
    void forget() {
        unset("{$unset: {token: 1}}");
    }

    private void unset(String update) {
        states.updateOne(
                Filters.and(Filters.eq(new BsonString(hook)), Filters.eq("owner", owner)), BsonDocument.parse(update));
    }

    /// Keeps a change that the target has not taken, once however often that happens; or why it is kept without its
    /// content.
    ///
    /// @param json what was sent last; empty if it is too large
    /// @param memory owns it, and takes what it needs to be stored
    void fail(Event event, Optional<byte[]> json, String why, Lease memory) {
        BsonValue id = new BsonString(event.id());
        var failure = new BsonDocument("_id", id)
                .append("hook", new BsonString(hook))
                .append("at", new BsonDateTime(Instant.now().toEpochMilli()))
                .append("why", new BsonString(why))
                .append("type", new BsonString(event.type()))
                .append("key", event.key());
        var kept = json.filter(bytes -> bytes.length <= LARGEST);
        if (kept.isEmpty()) {
            failure.append(ABSENT, new BsonString("it is larger than 8 MiB"));
        } else if (!memory.tryContinue((long) COPIES * kept.get().length)) {
            failure.append(ABSENT, new BsonString("there was no memory for it"));
        } else {
            failure.append("event", new BsonString(new String(kept.get(), StandardCharsets.UTF_8)));
        }
        failures.replaceOne(Filters.eq(id), failure, new ReplaceOptions().upsert(true));
    }
}

package org.restheart.mongo.coalescing;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.restheart.bson.fields.Update;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Changes and removals of single documents by a coalescer.
@WithMongo
abstract class CoalescedWritesFixture {
    static final int OPERATIONS = Integer.getInteger("coalescing.stress.operations", 8_000);

    final TestMongo mongo;
    final CoalescedWrites updates;
    final CoalescedWrites deletes;

    /// How many statements left with others.
    final LongAdder together = new LongAdder();

    CoalescedWritesFixture(TestMongo mongo) {
        this.mongo = mongo;
        var coalescer = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
        this.updates = coalescer.updates();
        this.deletes = coalescer.deletes();
        mongo.client().getDatabase("admin").runCommand(BsonDocument.parse("{ping: 1}")); // the deployment is known
    }

    MongoCollection<RawBsonDocument> collection(String name) {
        return mongo.database().getCollection(name, RawBsonDocument.class).withWriteConcern(WriteConcern.MAJORITY);
    }

    static RawBsonDocument raw(BsonDocument document) {
        return new RawBsonDocument(document, new BsonDocumentCodec());
    }

    static RawBsonDocument raw(String json) {
        return raw(BsonDocument.parse(json));
    }

    TargetDocument target(String collection, BsonValue id, String others, Precondition precondition) {
        var outsideOfSessions = new SessionCollection(collection(collection), Optional.empty());
        return new TargetDocument(outsideOfSessions, id, BsonDocument.parse(others), precondition);
    }

    TargetDocument target(String collection, int id) {
        return target(collection, new BsonInt32(id), "{}", new Precondition.None());
    }

    /// With a new entity tag, as every change.
    static Update change(String operators, ObjectId etag) {
        var update = BsonDocument.parse(operators);
        update.append("$set", update.getDocument("$set", new BsonDocument()).append("_etag", new BsonObjectId(etag)));
        return new Update.Operators(update);
    }

    static Update change(String operators) {
        return change(operators, new ObjectId());
    }

    CompletableFuture<BatchResult<WriteOutcome>> submit(CoalescedWrites group, DocumentWrite write) {
        return group.submit(group.statement(write).orElseThrow());
    }

    WriteOutcome outcome(CoalescedWrites group, DocumentWrite write) {
        var result = submit(group, write).join();
        if (result.sharing() > 1) {
            together.increment();
        }
        return result.outcome();
    }

    WriteOutcome update(TargetDocument target, String operators, WriteMode mode) {
        return outcome(updates, target.updating(change(operators), mode));
    }

    void insert(String collection, int count) {
        collection(collection)
                .insertMany(IntStream.range(0, count)
                        .mapToObj(i -> raw("{_id: " + i + ", n: 0}"))
                        .toList());
    }

    int n(String collection, int id) {
        return collection(collection)
                .find(new BsonDocument("_id", new BsonInt32(id)))
                .first()
                .getInt32("n")
                .getValue();
    }
}

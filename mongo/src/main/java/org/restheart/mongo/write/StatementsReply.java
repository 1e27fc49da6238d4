package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteUpsert;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.DocumentWrite.StatementResult;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Failed;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Upserted;

/// MongoDB's reply to [RetryableStatements]. It names a statement by its position in the command, this one by its
/// number among all statements. Immutable.
public final class StatementsReply {
    private static final BsonDocument ID = new BsonDocument("_id", new BsonInt32(1));

    private final BsonDocument reply;
    private final MongoNamespace namespace;
    private final ServerAddress address;
    private final List<Integer> numbers;

    /// @param address of the server that most probably replied, for the log
    /// @param numbers of the statements in the command; empty for all
    StatementsReply(BsonDocument reply, MongoNamespace namespace, ServerAddress address, List<Integer> numbers) {
        this.reply = reply;
        this.namespace = namespace;
        this.address = address;
        this.numbers = List.copyOf(numbers);
    }

    /// Statements that matched or created a document.
    public int n() {
        return reply.getNumber("n").intValue();
    }

    /// Documents that were changed.
    int modified() {
        return reply.getNumber("nModified", new BsonInt32(0)).intValue();
    }

    /// By number of statement.
    public Map<Integer, StatementResult> failed() {
        var failed = new HashMap<Integer, StatementResult>();
        errors().forEach(error ->
                failed.put(error.getIndex(), new Failed(new MongoWriteException(error, address, Set.of()))));
        return failed;
    }

    /// Of statements that failed, with their numbers.
    public List<BulkWriteError> errors() {
        return list("writeErrors").stream()
                .map(BsonValue::asDocument)
                .map(error -> new BulkWriteError(
                        error.getNumber("code").intValue(),
                        message(error),
                        error.getDocument("errInfo", new BsonDocument()),
                        number(error)))
                .toList();
    }

    /// MongoDB leaves texts out once those of a reply have 1 MiB; [MongoCodes#isDuplicateId] needs the name of the
    /// index.
    private String message(BsonDocument error) {
        var text = error.getString("errmsg", new BsonString("")).getValue();
        return text.isEmpty() && ID.equals(error.get("keyPattern"))
                ? "E11000 duplicate key error collection: " + namespace + " index: _id_ "
                : text;
    }

    private int number(BsonDocument error) {
        int index = error.getNumber("index").intValue();
        return numbers.isEmpty() ? index : numbers.get(index);
    }

    /// By number of statement.
    public Map<Integer, StatementResult> upserted() {
        return upserts().stream().collect(Collectors.toMap(BulkWriteUpsert::getIndex, _ -> new Upserted()));
    }

    /// With the numbers of statements.
    List<BulkWriteUpsert> upserts() {
        return list("upserted").stream()
                .map(BsonValue::asDocument)
                .map(upsert -> new BulkWriteUpsert(number(upsert), Objects.requireNonNull(upsert.get("_id"))))
                .toList();
    }

    /// Numbers of statements that had been executed before.
    Set<Integer> retried() {
        return list("retriedStmtIds").stream()
                .map(id -> id.asNumber().intValue())
                .collect(Collectors.toSet());
    }

    /// Whether the time ended while MongoDB waited for the write concern.
    public boolean hasPendingConcern() {
        return unsatisfied()
                .filter(e -> e.getWriteConcernError().getCode() == MongoCodes.MAX_TIME_EXPIRED)
                .isPresent();
    }

    /// @throws MongoWriteConcernException if the write concern was not satisfied
    public void requireConcern() {
        unsatisfied().ifPresent(e -> {
            throw e;
        });
    }

    public Optional<MongoWriteConcernException> unsatisfied() {
        return BoundedConcern.unsatisfied(reply, address);
    }

    /// Whether the primary has changed since the statements were executed, so that they may be lost.
    boolean isRetryable() {
        return reply.containsKey("writeConcernError") && labels().contains(RetryableStatements.RETRYABLE);
    }

    private List<String> labels() {
        return list("errorLabels").stream()
                .map(label -> label.asString().getValue())
                .toList();
    }

    private List<BsonValue> list(String name) {
        return reply.getArray(name, new BsonArray());
    }
}

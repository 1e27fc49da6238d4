package org.restheart.mongo.coalescing;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.restheart.mongo.coalescing.GroupWrites.Statement;
import org.restheart.mongo.write.StatementResult;
import org.restheart.mongo.write.StatementResult.Done;
import org.restheart.mongo.write.StatementResult.NoMatch;

/// Sends writes of several requests as the statements of one unordered `update` or `delete`, and finds out what became
/// of each.
///
/// The reply says which statements failed and which created a document, but of the others only how many matched. Unless
/// all or none did, MongoDB is asked which of them it has carried out: it keeps account of that, since the command is a
/// retryable write ([RetryableStatements]). A command that failed half-way is told apart in the same way.
///
/// Statements are carried out one after the other, so a document that a transaction holds would make all wait. After
/// [#PATIENCE_MILLIS] the command is given up: what it has done is told, each of the others goes on alone. Thread-safe.
///
/// @param <O> the outcome
final class StatementsCommand<O> implements BatchCommand<Statement<O>, BatchResult<O>> {
    /// Many times what a full command takes.
    private static final int PATIENCE_MILLIS = 500;

    /// MongoDB refuses the command before it carries out any of its statements: it cannot be parsed (9, 14, 40413,
    /// 40415), is not allowed (13, 166, 323), or there are no retryable writes (20, 72, 115, 301, 303).
    private static final Set<Integer> NOTHING_DONE = Set.of(9, 13, 14, 20, 72, 115, 166, 301, 303, 323, 40413, 40415);

    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("write").start(task);

    private final MongoClient client;
    private final String command;
    private final MongoNamespace namespace;
    private final WriteConcern writeConcern;
    private final BlockedDocuments blocked;

    StatementsCommand(
            MongoClient client,
            String command,
            MongoNamespace namespace,
            WriteConcern writeConcern,
            BlockedDocuments blocked) {
        this.client = client;
        this.command = command;
        this.namespace = namespace;
        this.writeConcern = writeConcern;
        this.blocked = blocked;
    }

    @Override
    public void run(List<PendingRequest<Statement<O>, BatchResult<O>>> requests) {
        var statements = new RetryableStatements(
                client,
                command,
                namespace,
                requests.stream().map(pending -> pending.request().bytes()).toList());
        boolean given = false;
        try {
            var reply = statements.send(writeConcern, PATIENCE_MILLIS);
            if (reply.waitsForConcern()) {
                given = finishLater(statements, requests);
            } else {
                tell(requests, statements, reply);
            }
        } catch (MongoExecutionTimeoutException _) {
            given = finishLater(statements, requests);
        } catch (MongoCommandException e) {
            if (NOTHING_DONE.contains(e.getErrorCode())) {
                requests.forEach(this::sendAlone);
            } else {
                given = finishLater(statements, requests);
            }
        } finally {
            if (!given) {
                statements.close();
            }
        }
    }

    private void tell(
            List<PendingRequest<Statement<O>, BatchResult<O>>> requests,
            RetryableStatements statements,
            RetryableStatements.Reply reply) {
        int sharing = requests.size();
        var failed = reply.failed();
        failed.forEach((number, result) -> tell(requests.get(number), result, sharing));
        reply.requireConcern();
        var upserted = reply.upserted();
        upserted.forEach((number, result) -> tell(requests.get(number), result, sharing));
        var others = IntStream.range(0, sharing)
                .filter(number -> !failed.containsKey(number) && !upserted.containsKey(number))
                .boxed()
                .toList();
        int matched = reply.n() - upserted.size();
        var carriedOut = new HashMap<Integer, StatementResult>();
        if (matched == others.size()) {
            others.forEach(number -> carriedOut.put(number, new Done()));
        } else if (matched > 0) {
            carriedOut.putAll(statements.carriedOut(others, WriteConcern.W1).results());
        }
        boolean accounted = carriedOut.size() == matched; // what changes nothing is not kept account of
        for (int number : others) {
            var result = carriedOut.get(number);
            if (result != null) {
                tell(requests.get(number), result, sharing);
            } else if (accounted) {
                tell(requests.get(number), new NoMatch(), sharing);
            } else {
                sendAlone(requests.get(number));
            }
        }
    }

    private void tell(PendingRequest<Statement<O>, BatchResult<O>> pending, StatementResult result, int sharing) {
        var write = pending.request().write();
        try {
            var outcome = write.outcome(result);
            if (outcome.isPresent()) {
                pending.complete(new BatchResult<>(outcome.get(), sharing));
            } else {
                pending.completeOn(THREADS, () -> new BatchResult<>(write.explained(result), sharing));
            }
        } catch (RuntimeException e) {
            pending.completeExceptionally(e);
        }
    }

    private void sendAlone(PendingRequest<Statement<O>, BatchResult<O>> pending) {
        var write = pending.request().write();
        pending.completeOn(THREADS, () -> new BatchResult<>(blocked.during(write, write::alone), 1));
    }

    /// Leaves the requests to another thread, which may wait as long as it takes.
    private boolean finishLater(
            RetryableStatements statements, List<PendingRequest<Statement<O>, BatchResult<O>>> requests) {
        requests.forEach(PendingRequest::leave);
        THREADS.execute(() -> {
            try (statements) {
                finish(statements, requests);
            } catch (RuntimeException | Error e) {
                requests.forEach(pending -> pending.completeExceptionally(e));
            }
        });
        return true;
    }

    private void finish(RetryableStatements statements, List<PendingRequest<Statement<O>, BatchResult<O>>> requests) {
        int sharing = requests.size();
        var numbers = IntStream.range(0, sharing).boxed().toList();
        var carriedOut = statements.carriedOut(numbers, writeConcern);
        for (int number : numbers) {
            var pending = requests.get(number);
            var result = carriedOut.results().get(number);
            if (result == null) {
                sendAlone(pending);
            } else if (carriedOut.unsatisfied().isPresent()) {
                pending.completeExceptionally(carriedOut.unsatisfied().get());
            } else {
                tell(pending, result, sharing);
            }
        }
    }
}

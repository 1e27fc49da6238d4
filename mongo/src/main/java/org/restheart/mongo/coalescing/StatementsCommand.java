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

/// Sends writes of several requests as the statements of one unordered `update` or `delete`, and determines the
/// outcome of each.
///
/// The reply lists the statements that failed or inserted a document, and of the others only the number of matches.
/// Unless all or none matched, MongoDB is queried for the executed ones, which it records because the command is a
/// retryable write ([RetryableStatements]). The outcome of a command that failed in part is determined in the same
/// way.
///
/// Statements are executed sequentially, so a document locked by a transaction would delay all. After
/// [#PATIENCE_MILLIS] the command is aborted: executed statements are completed, each of the others is sent
/// separately. Thread-safe.
///
/// @param <O> the outcome
final class StatementsCommand<O> implements BatchCommand<Statement<O>, BatchResult<O>> {
    /// Many times the duration of a full command.
    private static final int PATIENCE_MILLIS = 2_000;

    /// Codes with which MongoDB refuses the command before it executes a statement: it cannot be parsed (9, 14,
    /// 40413, 40415), is not allowed (13, 166, 323), or there are no retryable writes (20, 72, 115, 301, 303).
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
        boolean accounted = carriedOut.size() == matched; // statements that change nothing are not recorded
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

    /// Moves the requests to another thread, which may block without a limit.
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

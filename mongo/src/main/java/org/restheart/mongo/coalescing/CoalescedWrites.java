package org.restheart.mongo.coalescing;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.WriteConcern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.RequestStart;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrite.StatementResult;
import org.restheart.mongo.write.DocumentWrite.StatementResult.Done;
import org.restheart.mongo.write.DocumentWrite.StatementResult.NoMatch;
import org.restheart.mongo.write.RetryableStatements;
import org.restheart.mongo.write.StatementsReply;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.mongo.write.WriteOutcome;

/// Coalesces updates, or removals, of single documents to the statements of one unordered command, see
/// [Command]. Upserts of one caller share a command, see [Target#ofCaller()]. Thread-safe.
final class CoalescedWrites {
    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private final Batching batching;
    private final String command;
    private final BatchQueues<Target, Statement, WriteOutcome> queues;
    private final BlockedDocuments blocked;

    record Statement(DocumentWrite write, RawBsonDocument bytes) {
        boolean isUpsert() {
            return bytes.containsKey("upsert");
        }
    }

    /// @param command `update` or `delete`, the kind in meters too
    CoalescedWrites(Batching batching, String command, BlockedDocuments blocked) {
        this.batching = batching;
        this.command = command;
        this.blocked = blocked;
        this.queues = batching.queues(command);
    }

    /// The statement of a write; empty for one that is sent separately: it cannot share a command, is too large, or
    /// there is no replica set. A standalone server does not record executed statements, and sharded clusters have
    /// not been tested.
    Optional<Statement> statement(DocumentWrite write) {
        return !batching.deployment().isReplicaSet() || blocked.contain(write)
                ? Optional.empty()
                : write.statement()
                        .map(statement -> RawDocuments.encode(statement))
                        .filter(bytes ->
                                bytes.getByteLength() <= batching.config().maxBatchBytes() / LARGE_PART)
                        .map(bytes -> new Statement(write, bytes));
    }

    /// Adds the write to the queue of its shape; never blocks.
    CompletableFuture<BatchResult<WriteOutcome>> submit(Statement statement) {
        var write = statement.write();
        var ofAll = new Target(write.namespace(), write.writeConcern());
        var target = statement.isUpsert() ? ofAll.ofCaller() : ofAll;
        return queues.submit(
                target, () -> new Command(target), statement, statement.bytes().getByteLength());
    }

    /// Sends writes of several requests as the statements of one unordered `update` or `delete`, and determines the
    /// outcome of each.
    ///
    /// The reply lists the statements that failed or inserted a document, and of the others only the number of
    /// matches. Unless all or none matched, MongoDB is queried for the executed ones, which it records because the
    /// command is a retryable write ([RetryableStatements]). The outcome of a command that failed in part is
    /// determined in the same way.
    ///
    /// Statements are executed sequentially, so a document locked by a transaction would delay all. After
    /// [TimeLimitedWrites#COMMAND_MILLIS] the command is aborted: executed statements are completed, each of the
    /// others is sent separately.
    ///
    /// MongoDB closes the connection instead of sending a reply of more than 16 MiB, and errors contain the keys of
    /// stored documents. After a lost connection, each statement is therefore sent again by itself. Thread-safe.
    private final class Command implements BatchCommand<Statement, WriteOutcome> {
        private final Target target;

        Command(Target target) {
            this.target = target;
        }

        /// One statement can take minutes.
        @Override
        public boolean mayTakeLong() {
            return true;
        }

        @Override
        public void run(List<PendingRequest<Statement, WriteOutcome>> requests) {
            var statements = new RetryableStatements(
                    batching.client(),
                    command,
                    target.namespace(),
                    requests.stream().map(pending -> pending.request().bytes()).toList());
            @Nullable Runnable later = null;
            try {
                var reply = statements.send(target.writeConcern(), TimeLimitedWrites.COMMAND_MILLIS);
                if (reply.hasPendingConcern()) {
                    later = () -> finish(statements, requests);
                } else {
                    complete(requests, statements, reply);
                }
            } catch (MongoExecutionTimeoutException _) {
                later = () -> finish(statements, requests);
            } catch (MongoSocketReadException _) {
                later = () -> repeat(statements, requests);
            } catch (MongoCommandException e) {
                if (RetryableStatements.hasDoneNothing(e)) {
                    requests.forEach(this::sendAlone);
                } else {
                    later = () -> finish(statements, requests);
                }
            } finally {
                Batching.endOrFinish(requests, statements, later);
            }
        }

        private void complete(
                List<PendingRequest<Statement, WriteOutcome>> requests,
                RetryableStatements statements,
                StatementsReply reply) {
            int sharing = requests.size();
            var failed = reply.failed();
            failed.forEach((number, result) -> complete(requests.get(number), result, sharing));
            reply.requireConcern();
            var upserted = reply.upserted();
            upserted.forEach((number, result) -> complete(requests.get(number), result, sharing));
            var others = IntStream.range(0, sharing)
                    .filter(number -> !failed.containsKey(number) && !upserted.containsKey(number))
                    .boxed()
                    .toList();
            int matched = reply.n() - upserted.size();
            var executed = new HashMap<Integer, StatementResult>();
            if (matched == others.size()) {
                others.forEach(number -> executed.put(number, new Done()));
            } else if (matched > 0) {
                executed.putAll(statements.executedHere(others, WriteConcern.W1).results());
            }
            boolean accounted = executed.size() == matched; // statements that change nothing are not recorded
            var unaccounted = new ArrayList<PendingRequest<Statement, WriteOutcome>>();
            for (int number : others) {
                var result = executed.get(number);
                if (result != null) {
                    complete(requests.get(number), result, sharing);
                } else if (accounted) {
                    complete(requests.get(number), new NoMatch(), sharing);
                } else {
                    unaccounted.add(requests.get(number));
                }
            }
            sendAlone(statements, unaccounted);
        }

        /// Sends each as the statement that it was, so that MongoDB executes none twice. Those of which nothing is
        /// known then, and those for which no time is left, are determined together.
        private void repeat(RetryableStatements statements, List<PendingRequest<Statement, WriteOutcome>> requests) {
            var unknown = new ArrayList<Integer>();
            boolean away = false;
            for (int number = 0; number < requests.size(); number++) {
                var pending = requests.get(number);
                if (pending.isDone()) { // it has timed out, and its client may have sent something else since
                    continue;
                }
                if (away || RequestStart.left(BoundedConcern.LIMIT).toMillis() < TimeLimitedWrites.COMMAND_MILLIS) {
                    unknown.add(number);
                    continue;
                }
                try {
                    var reply = statements.send(
                            List.of(number), false, target.writeConcern(), TimeLimitedWrites.COMMAND_MILLIS);
                    if (reply.hasPendingConcern()) {
                        unknown.add(number);
                    } else {
                        if (!reply.failed().containsKey(number)) {
                            reply.requireConcern();
                        }
                        complete(pending, result(reply, number), 1);
                    }
                } catch (MongoExecutionTimeoutException _) { // the lost command may still execute it
                    unknown.add(number);
                } catch (MongoSocketReadException | MongoWriteConcernException e) {
                    pending.completeExceptionally(e); // the others may succeed
                } catch (MongoException _) {
                    unknown.add(number);
                    away = true;
                }
            }
            if (!unknown.isEmpty()) {
                finish(statements, requests, unknown);
            }
        }

        private static StatementResult result(StatementsReply reply, int number) {
            var known = new HashMap<>(reply.upserted());
            known.putAll(reply.failed());
            return known.getOrDefault(number, reply.n() > 0 ? new Done() : new NoMatch());
        }

        private void complete(PendingRequest<Statement, WriteOutcome> pending, StatementResult result, int sharing) {
            var write = pending.request().write();
            try {
                var outcome = write.outcome(result);
                if (outcome.isPresent()) {
                    pending.complete(outcome.get(), sharing);
                } else {
                    pending.completeElsewhere(() -> new BatchResult<>(write.explained(result), sharing));
                }
            } catch (RuntimeException e) {
                pending.completeExceptionally(e);
            }
        }

        /// Sends statements as other writes, after it is certain that no late command executes them.
        private void sendAlone(RetryableStatements statements, List<PendingRequest<Statement, WriteOutcome>> requests) {
            if (requests.isEmpty()) {
                return;
            }
            try {
                statements.end();
            } catch (RuntimeException e) { // of these only
                requests.forEach(pending -> pending.completeExceptionally(e));
                return;
            }
            requests.forEach(this::sendAlone);
        }

        /// The write has not been executed.
        private void sendAlone(PendingRequest<Statement, WriteOutcome> pending) {
            var write = pending.request().write();
            pending.completeElsewhere(() -> {
                Batching.requireTime(false);
                return new BatchResult<>(blocked.during(write, write::alone), 1);
            });
        }

        private void finish(RetryableStatements statements, List<PendingRequest<Statement, WriteOutcome>> requests) {
            finish(
                    statements,
                    requests,
                    IntStream.range(0, requests.size()).boxed().toList());
        }

        private void finish(
                RetryableStatements statements,
                List<PendingRequest<Statement, WriteOutcome>> requests,
                List<Integer> numbers) {
            RetryableStatements.Executed executed;
            try {
                executed = statements.executedHere(numbers, target.writeConcern());
            } catch (RuntimeException e) { // of these only: others are sent alone on other threads
                numbers.forEach(number -> requests.get(number).completeExceptionally(e));
                return;
            }
            var others = new ArrayList<PendingRequest<Statement, WriteOutcome>>();
            for (int number : numbers) {
                var pending = requests.get(number);
                var result = executed.results().get(number);
                if (result == null) {
                    others.add(pending);
                } else if (executed.unsatisfied().isPresent()) {
                    pending.completeExceptionally(executed.unsatisfied().get());
                } else {
                    complete(pending, result, numbers.size());
                }
            }
            sendAlone(statements, others);
        }
    }
}

package org.restheart.mongo.coalescing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.restheart.mongo.coalescing.Batching.BatchLoad;

/// The commands of one [BatchQueue], and whether another one may run. Guarded by the queue.
///
/// @param <R> the request
/// @param <O> the outcome
final class RunningCommands<R, O> {
    /// Commands that take longer are not waited for: MongoDB or the network is slow.
    static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Batches of this size are large enough to wait for the running command.
    private static final int LARGE = 8;

    /// Commands that take longer are not counted: one statement can take minutes, and a few commands with such
    /// statements would stop everybody else's. Longer than commands wait for documents that a transaction holds.
    private static final long UNCOUNTED_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// A broken connection may hide a server for less than this.
    private static final Duration UNREACHABLE = Duration.ofSeconds(1);

    private static final long NEVER = Long.MIN_VALUE;

    private final CoalescingConfig limits;
    private final boolean mayTakeLong;
    private final Deployment deployment;
    private final BatchLoad load;
    private final List<Running<R, O>> running = new ArrayList<>();

    /// Those that wait for a connection, or have waited for one: others run as if these did not.
    private final List<Running<R, O>> waitingForConnection = new ArrayList<>();

    private long lastStart;

    /// The largest of the latest batches; decays by an eighth with each smaller one.
    private int usualBatch;

    RunningCommands(CoalescingConfig limits, boolean mayTakeLong, Deployment deployment, BatchLoad load) {
        this.limits = limits;
        this.mayTakeLong = mayTakeLong;
        this.deployment = deployment;
        this.load = load;
    }

    /// The command that one thread runs; without requests before the first one and between two.
    static final class Running<R, O> {
        private List<PendingRequest<R, O>> batch = List.of();
        private ServerOfCommand server = new ServerOfCommand();
        private long suspectSince = NEVER;
        private long began;

        ServerOfCommand server() {
            return server;
        }
    }

    boolean areNone() {
        return running.isEmpty() && waitingForConnection.isEmpty();
    }

    /// Whether batches are.
    boolean areLarge() {
        return usualBatch >= LARGE;
    }

    /// Whether another command may run now.
    boolean mayRun(long now) {
        int others = 0;
        for (var command : running) {
            others += isUncounted(command, now) ? 0 : 1;
        }
        boolean oneAtATime = areLarge() || load.isHigh(now);
        return others == 0 || (others < limits.commands() && (!oneAtATime || now - lastStart > LONG_NANOS));
    }

    private boolean isUncounted(Running<R, O> command, long now) {
        return mayTakeLong && !command.batch.isEmpty() && now - command.began > UNCOUNTED_NANOS;
    }

    /// A place for a command that is about to begin.
    Running<R, O> add() {
        var command = new Running<R, O>();
        running.add(command);
        return command;
    }

    void begin(Running<R, O> command, List<PendingRequest<R, O>> batch, long now) {
        running.add(command);
        command.batch = batch;
        command.began = now;
        command.server = new ServerOfCommand();
        command.suspectSince = NEVER;
        lastStart = now;
        usualBatch = Math.max(batch.size(), usualBatch - (usualBatch + 7) / 8);
    }

    /// The command's requests are complete.
    void end(Running<R, O> command) {
        load.remove(command.batch.size()); // empty if the command was abandoned
        command.batch = List.of();
    }

    void waitForConnection(Running<R, O> command) {
        if (running.remove(command)) {
            waitingForConnection.add(command);
        }
    }

    boolean contain(Running<R, O> command) {
        return running.contains(command);
    }

    /// @return whether its thread may run another command: not if it has waited for a connection, or if its command was
    ///     abandoned
    boolean remove(Running<R, O> command) {
        if (running.remove(command)) {
            return true;
        }
        waitingForConnection.remove(command);
        return false;
    }

    /// Abandons commands whose servers have failed. Their threads continue to wait; their results are ignored.
    ///
    /// @return their requests
    List<PendingRequest<R, O>> abandonLost(long now) {
        var lost = new ArrayList<PendingRequest<R, O>>();
        for (var commands : List.of(running, waitingForConnection)) {
            commands.removeIf(command -> {
                boolean isLost = isLost(command, now);
                if (isLost) {
                    lost.addAll(command.batch);
                    end(command);
                }
                return isLost;
            });
        }
        return lost;
    }

    /// Whether its server does not respond, or has been unreachable for a while. A broken connection may hide a server
    /// for a moment. A command that waits for a server is not lost: one may be elected until the requests time out.
    private boolean isLost(Running<R, O> command, long now) {
        if (command.batch.isEmpty()) {
            return false;
        }
        if (now - command.batch.getFirst().queuedAt() >= limits.maxWait().toNanos() && !deployment.takesWrites()) {
            return true;
        }
        var address = command.server.address();
        if (address == null || !deployment.hasLost(address)) {
            command.suspectSince = NEVER;
            return false;
        }
        if (command.suspectSince == NEVER) {
            command.suspectSince = now;
        }
        return now - command.suspectSince >= UNREACHABLE.toNanos() || deployment.isSilent(address);
    }
}

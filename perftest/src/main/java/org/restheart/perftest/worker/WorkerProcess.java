package org.restheart.perftest.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.worker.Worker.WorkerMessage;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/// `worker`: the child's side. Serves tasks from standard input until it ends.
@Command(name = "worker", hidden = true, description = "Runs tasks given as JSON lines on standard input.")
public final class WorkerProcess implements Runnable {
    private final JsonMapper json = new JsonMapper();

    @Override
    public void run() {
        // whatever else writes to standard output must not end up between the answers
        var answers = System.out;
        System.setOut(System.err);
        try (var tasks = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (var line = tasks.readLine(); line != null; line = tasks.readLine()) {
                answer(json.readValue(line, Task.class), answers);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(Task task, PrintStream answers) {
        say(telling(task, answers), answers);
    }

    /// Reports progress until it returns.
    private WorkerMessage telling(Task task, PrintStream answers) {
        try (var ticker = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("progress").factory())) {
            var watch = new CpuWatch(task.watch()).alsoThisProcess(Task.CLIENT);
            var answer = result(task, new Recording(watch, clock -> tick(ticker, clock, answers)));
            ticker.shutdownNow();
            return answer;
        }
    }

    private void tick(ScheduledExecutorService ticker, Clock clock, PrintStream answers) {
        var _ = ticker.scheduleAtFixedRate(
                () -> say(new WorkerMessage.Progress(clock.done(System.nanoTime())), answers), 1, 1, TimeUnit.SECONDS);
    }

    private void say(WorkerMessage answer, PrintStream answers) {
        answers.println(json.writerFor(WorkerMessage.class).writeValueAsString(answer));
        answers.flush();
    }

    private static WorkerMessage result(Task task, Recording recording) {
        try {
            return new WorkerMessage.Measured(task.run(recording));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return WorkerMessage.Failed.because(e);
        } catch (IOException | RuntimeException e) {
            return WorkerMessage.Failed.because(e);
        }
    }
}

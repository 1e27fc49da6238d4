package org.restheart.perftest.load;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.perftest.deploy.Child;
import org.restheart.perftest.measure.Measurement;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/// A process with the driver: one JSON line with a task in, one with its result out. It runs many tasks, so that its
/// code stays compiled, and ends when its standard input does. Not thread-safe.
public final class Worker implements Closeable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final BufferedWriter tasks;
    private final BufferedReader answers;

    private Worker(Process process) {
        this.process = process;
        this.tasks = process.outputWriter();
        this.answers = process.inputReader();
    }

    public static Worker start(List<String> jvmOptions) throws IOException {
        return new Worker(Child.ofThisProgram(jvmOptions, List.of("worker")));
    }

    /// Has a task done and waits for it.
    ///
    /// @throws IOException also if the task failed, with the worker's reason
    public Measurement run(DriverLoad task) throws IOException {
        tasks.write(JSON.writeValueAsString(task));
        tasks.newLine();
        tasks.flush();
        var line = answers.readLine();
        if (line == null) {
            throw new IOException("the worker process ended in mid-task");
        }
        var answer = JSON.readValue(line, Answer.class);
        if (answer.measured() == null) {
            throw new IOException("the worker reports: " + answer.failure());
        }
        return answer.measured();
    }

    @Override
    public void close() throws IOException {
        tasks.close();
        Child.stop(process);
    }

    /// One of the two.
    record Answer(@Nullable Measurement measured, String failure) {}

    /// `worker`: the child's side.
    @Command(name = "worker", hidden = true, description = "Runs tasks given as JSON lines on standard input.")
    public static final class WorkerProcess implements Runnable {
        @Override
        public void run() {
            // whatever else writes to standard output must not end up between the answers
            var answers = System.out;
            System.setOut(System.err);
            try (var tasks = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (var line = tasks.readLine(); line != null; line = tasks.readLine()) {
                    answers.println(JSON.writeValueAsString(answer(JSON.readValue(line, DriverLoad.class))));
                    answers.flush();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static Answer answer(DriverLoad task) {
            try {
                return new Answer(task.run(), "");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Answer(null, e.toString());
            } catch (IOException | RuntimeException e) {
                return new Answer(null, e.getCause() == null ? e.toString() : e + ", because of " + e.getCause());
            }
        }
    }
}

package org.restheart.perftest.worker;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.DoubleConsumer;
import org.restheart.perftest.deploy.Child;
import org.restheart.perftest.measure.Measurement;
import tools.jackson.databind.json.JsonMapper;

/// The parent's side of a worker process. It runs many tasks, so that its JIT has warmed up. Not
/// thread-safe.
public final class Worker implements Closeable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final BufferedWriter tasks;
    private final BufferedReader answers;
    private final DoubleConsumer progress;

    private Worker(Process process, DoubleConsumer progress) {
        this.process = process;
        this.progress = progress;
        this.tasks = process.outputWriter();
        this.answers = process.inputReader();
    }

    /// Starts this program again, as a worker.
    ///
    /// @param classPath of the new process
    /// @param jvmOptions of the new process
    /// @param progress is called once a second during a task, from 0 to 1, and 1 at the end
    public static Worker start(String classPath, List<String> jvmOptions, DoubleConsumer progress) throws IOException {
        return new Worker(Child.ofThisProgram(classPath, jvmOptions, List.of("worker")), progress);
    }

    /// Has a task done and waits for it.
    ///
    /// @throws IOException also if the task failed, with the worker's reason
    public Measurement run(Task task) throws IOException {
        tasks.write(JSON.writeValueAsString(task));
        tasks.newLine();
        tasks.flush();
        while (true) {
            switch (answer()) {
                case WorkerMessage.Progress(var done) -> progress.accept(done);
                case WorkerMessage.Measured(var measurement) -> {
                    progress.accept(1);
                    return measurement;
                }
                case WorkerMessage.Failed(var reason) -> throw new IOException("the worker reports: " + reason);
            }
        }
    }

    private WorkerMessage answer() throws IOException {
        var line = answers.readLine();
        if (line == null) {
            throw new IOException("the worker process ended in mid-task");
        }
        return JSON.readValue(line, WorkerMessage.class);
    }

    @Override
    public void close() throws IOException {
        tasks.close();
        Child.stop(process);
    }

    /// What a worker says: any number of times how far it is, then what it measured or why it could not.
    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface WorkerMessage {

        /// @param done from 0 to 1
        record Progress(double done) implements WorkerMessage {}

        record Measured(Measurement measurement) implements WorkerMessage {}

        record Failed(String reason) implements WorkerMessage {
            static Failed because(Throwable cause) {
                return new Failed(describe(cause));
            }

            private static String describe(Throwable cause) {
                return cause.getCause() == null
                        ? cause.toString()
                        : cause + ", because of " + describe(cause.getCause());
            }
        }
    }
}

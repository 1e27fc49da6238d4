package org.restheart.perftest.worker;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.restheart.perftest.deploy.Child;
import org.restheart.perftest.measure.Measurement;
import tools.jackson.databind.json.JsonMapper;

/// The parent's side of a worker process. It lives through many tasks, so that its JIT has warmed up. Not thread-safe.
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

    /// Starts this program again, as a worker.
    ///
    /// @param jvmOptions of the new process
    public static Worker start(List<String> jvmOptions) throws IOException {
        return new Worker(Child.ofThisProgram(jvmOptions, List.of("worker")));
    }

    /// Has a task done and waits for it.
    ///
    /// @throws IOException also if the task failed, with the worker's reason
    public Measurement run(Task task) throws IOException {
        tasks.write(JSON.writeValueAsString(task));
        tasks.newLine();
        tasks.flush();
        var line = answers.readLine();
        if (line == null) {
            throw new IOException("the worker process ended in mid-task");
        }
        var answer = JSON.readValue(line, Answer.class);
        return answer.measurement()
                .orElseThrow(() -> new IOException(
                        "the worker reports: " + answer.failure().orElse("nothing")));
    }

    @Override
    public void close() throws IOException {
        tasks.close();
        Child.stop(process);
    }
}

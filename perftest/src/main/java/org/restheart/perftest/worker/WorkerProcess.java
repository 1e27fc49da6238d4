package org.restheart.perftest.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
        answers.println(json.writeValueAsString(result(task)));
        answers.flush();
    }

    private static Answer result(Task task) {
        try {
            return Answer.of(task.run());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.failed(e);
        } catch (IOException | RuntimeException e) {
            return Answer.failed(e);
        }
    }
}

package org.restheart.perftest.listen;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.restheart.perftest.deploy.Child;
import tools.jackson.databind.json.JsonMapper;

/// The parent's side of a listening process. Not thread-safe.
public final class Listeners implements Closeable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final BufferedReader answers;

    private Listeners(Process process) {
        this.process = process;
        this.answers = process.inputReader();
    }

    /// Starts to connect.
    public static Listeners start(ListenOrder order, List<String> jvmOptions) throws IOException {
        var listeners = new Listeners(Child.ofThisProgram(jvmOptions, List.of("listen")));
        var orders = listeners.process.outputWriter();
        orders.write(JSON.writeValueAsString(order));
        orders.newLine();
        orders.flush();
        return listeners;
    }

    public long pid() {
        return process.pid();
    }

    /// Waits until all are connected that can be, and says how many.
    public int awaitConnected() throws IOException {
        return Integer.parseInt(line());
    }

    /// Waits until all events have arrived everywhere, or no more come.
    public ListenResult awaitResult() throws IOException {
        return JSON.readValue(line(), ListenResult.class);
    }

    private String line() throws IOException {
        var line = answers.readLine();
        if (line == null) {
            throw new IOException("a listening process has ended");
        }
        return line;
    }

    @Override
    public void close() {
        Child.stop(process);
    }
}

package org.restheart.perftest.listen;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.restheart.perftest.deploy.Child;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/// `listen`: reads an order from standard input, connects, writes how many listeners were accepted, waits for
/// all events, writes the result. One JSON line each.
@Command(name = "listen", hidden = true, description = "Listens to a change stream, as ordered on standard input.")
public final class ListenProcess implements Runnable {
    private static final long WAIT_FOR_FIRST_MILLIS = 120_000;

    @Override
    public void run() {
        var json = new JsonMapper();
        try (var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            var order = json.readValue(input.readLine(), ListenOrder.class);
            Child.endWithParent();
            listen(order, json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void listen(ListenOrder order, JsonMapper json) throws IOException {
        try (var loop = new ListenLoop(order)) {
            System.out.println(loop.connect());
            System.out.println(json.writeValueAsString(loop.collect(WAIT_FOR_FIRST_MILLIS)));
        }
    }
}

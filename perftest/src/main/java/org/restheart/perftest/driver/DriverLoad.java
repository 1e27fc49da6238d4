package org.restheart.perftest.driver;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Measures the synchronous driver: so many platform threads, a pooled connection for each. Immutable.
public record DriverLoad(String connectionString, Operation operation, int threads, Window window, long seed) {

    /// Connects, repeats the operation through warm-up and recording, and closes the client again.
    public Measurement run(Recording recording) throws IOException, InterruptedException {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(connectionString))
                .applyToConnectionPoolSettings(pool -> pool.maxSize(threads).minSize(threads))
                .build();
        try (var client = MongoClients.create(settings);
                var executor = Executors.newFixedThreadPool(threads)) {
            var calls = new DriverCall(client);
            // waits for the primary, so that the clock starts with a driver that is ready
            client.getDatabase("admin").runCommand(new Document("ping", 1));
            var clock = new Clock(System.nanoTime(), window);
            var running = IntStream.range(0, threads)
                    .mapToObj(i -> calls.of(operation, new SplittableRandom(seed * 31 + i)))
                    .map(call -> executor.submit(clock.closedLoop(() -> attempt(call))))
                    .toList();
            return recording.of(clock, running);
        }
    }

    /// @return the kind of failure, empty for success
    private static String attempt(Runnable call) {
        try {
            call.run();
            return "";
        } catch (MongoException e) {
            return e.getClass().getSimpleName() + " " + e.getCode();
        } catch (NoSuchElementException e) {
            return String.valueOf(e.getMessage());
        }
    }
}

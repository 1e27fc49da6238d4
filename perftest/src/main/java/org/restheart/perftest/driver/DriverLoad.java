package org.restheart.perftest.driver;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClients;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Measures the synchronous driver: so many platform threads, a pooled connection for each. Immutable.
public record DriverLoad(String connectionString, Operation operation, int threads, Window window, long seed) {

    /// Connects, repeats the operation through warm-up and recording, and closes the client again.
    ///
    /// @param watch read at the beginning and the end of the recorded time
    public Measurement run(CpuWatch watch) throws InterruptedException {
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
                    .map(call -> executor.submit(repeat(call, clock)))
                    .toList();
            clock.awaitRecording();
            var begin = watch.read();
            clock.awaitEnd();
            var cpu = watch.since(begin);
            var total = new Tally();
            for (var thread : running) {
                total.add(thread.get());
            }
            return total.measurement(clock, cpu);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the driver failed", e.getCause());
        }
    }

    private static Callable<Tally> repeat(Runnable call, Clock clock) {
        return () -> {
            var tally = new Tally();
            var begin = System.nanoTime();
            while (!clock.over(begin)) {
                var error = attempt(call);
                var now = System.nanoTime();
                if (clock.takes(now)) {
                    if (error.isEmpty()) {
                        tally.success(now, now - begin);
                    } else {
                        tally.failure(now, error);
                    }
                }
                begin = now;
            }
            return tally;
        };
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

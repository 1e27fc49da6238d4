package org.restheart.perftest.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.perftest.deploy.GatewayProcess;
import org.restheart.perftest.deploy.HttpServer;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.deploy.Peers;
import org.restheart.perftest.load.DriverLoad;
import org.restheart.perftest.load.RestDialect;
import org.restheart.perftest.load.Worker;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Everything an experiment starts, ended in reverse order when it is over. Not thread-safe.
final class TestBed implements Closeable {
    private final RunOptions run;
    private final TargetOptions target;
    private final Deque<Closeable> open = new ArrayDeque<>();
    private final Map<String, String> settings = new TreeMap<>();
    private final Path folder;

    TestBed(RunOptions run, TargetOptions target) throws IOException {
        this.run = run;
        this.target = target;
        this.folder = Files.createDirectories(Path.of("perftest/target/logs"));
    }

    /// The deployment that was named, or one started for this run.
    ///
    /// @param serverParameters of the one that is started, each as `name=value`
    Mongo mongo(String... serverParameters) {
        if (target.mongo != null && !target.mongo.isBlank()) {
            return described(Mongo.at(target.mongo));
        }
        var embedded = EmbeddedMongo.start(new EmbeddedMongoConfig(
                target.mongoData, 0, target.mongoCacheMegabytes, true, null, List.of(serverParameters)));
        keep(embedded::close);
        return described(Mongo.at(embedded.connectionString()));
    }

    private Mongo described(Mongo mongo) {
        settings.put("MongoDB", mongo.description());
        return mongo;
    }

    /// What was started, for the report.
    Map<String, String> settings() {
        return settings;
    }

    /// A gateway under the given name, with more configuration than the options have.
    ///
    /// @param overrides as in the RHO environment variable; may be empty
    HttpSubject gateway(String name, Mongo mongo, String overrides) throws IOException, InterruptedException {
        return gateway(name, target.gatewayJar, mongo, overrides);
    }

    /// The same, of another build.
    HttpSubject gateway(String name, Path jar, Mongo mongo, String overrides) throws IOException, InterruptedException {
        var all = target.gatewayConfig.isBlank() || overrides.isBlank()
                ? target.gatewayConfig + overrides
                : target.gatewayConfig + "; " + overrides;
        var log = folder.resolve(name.replaceAll("[^a-z0-9]+", "-") + ".log");
        var gateway = keep(GatewayProcess.start(jar, target.gatewayJvm, mongo, all, log));
        return http(name, gateway, Map.of("gateway", gateway.pid(), "mongod", mongo.pid()));
    }

    /// A gateway process that the caller closes.
    HttpServer startGateway(String name, Mongo mongo) throws IOException, InterruptedException {
        return GatewayProcess.start(
                target.gatewayJar, target.gatewayJvm, mongo, target.gatewayConfig, folder.resolve(name + ".log"));
    }

    /// A server in `perftest/peers`, which checks no credentials; installed when it is first needed.
    HttpSubject peer(String name, String script, Mongo mongo) throws IOException, InterruptedException {
        var server = keep(Peers.prepared().start(script, mongo));
        return http(name, server, Map.of("server", server.pid(), "mongod", mongo.pid()));
    }

    HttpSubject nullServer(String name) throws IOException {
        var server = keep(HttpServer.start(List.of("-XX:+UseSerialGC"), List.of("null-server")));
        return http(name, server, Map.of("server", server.pid()));
    }

    DriverSubject driver(Mongo mongo) throws IOException {
        return new DriverSubject("driver", keep(Worker.start(target.clientJvm)), mongo, run.seed);
    }

    /// Makes sure that a server answers as MongoDB does, before it is measured.
    void verify(HttpSubject subject, Mongo mongo, Operation... operations) throws IOException, InterruptedException {
        try (var verification = new Verification(mongo)) {
            for (var operation : operations) {
                verification.check(subject, operation);
            }
        }
    }

    private HttpSubject http(String name, HttpServer server, Map<String, Long> watch) {
        var dialect = new RestDialect(server.port(), target.credentials, target.pageParameters, "", run.seed);
        return new HttpSubject(name, dialect, server.startMillis(), watch, run.clientThreads);
    }

    <T extends Closeable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void close() throws IOException {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    /// The plain driver in a worker process.
    record DriverSubject(String name, Worker worker, Mongo mongo, long seed) implements Subject {

        @Override
        public Measurement measure(Operation operation, int concurrency, Window window) throws IOException {
            return worker.run(new DriverLoad(
                    mongo.connectionString(), operation, concurrency, window, seed, Map.of("mongod", mongo.pid())));
        }
    }
}

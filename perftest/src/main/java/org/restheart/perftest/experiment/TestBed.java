package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

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
import org.restheart.perftest.deploy.Balancer;
import org.restheart.perftest.deploy.GatewayProcess;
import org.restheart.perftest.deploy.HttpServer;
import org.restheart.perftest.deploy.Incumbent;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.deploy.Peers;
import org.restheart.perftest.driver.DriverLoad;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Everything an experiment starts, ended in reverse order when it is over. Not thread-safe.
final class TestBed implements Closeable {
    private final RunOptions run;
    private final TargetOptions target;
    private final Deque<Closeable> open = new ArrayDeque<>();
    private final Map<String, String> settings = new TreeMap<>();
    private final ProgressBar bar = ProgressBar.onStandardOutput();
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
        return http(name, gateway, Map.of("gateway", gateway.pid(), "mongod", mongo.pid()), run.clientThreads);
    }

    /// These gateways behind a load balancer. Its name says how many they are.
    ///
    /// @param balancer its name in reports
    HttpSubject balanced(String balancer, List<HttpSubject> gateways, Mongo mongo)
            throws IOException, InterruptedException {
        var ports = gateways.stream().map(gateway -> gateway.dialect().port()).toList();
        var server = keep(Balancer.start("balancer-" + gateways.size(), ports, folder));
        var watch = new TreeMap<>(Map.of(balancer, server.pid(), "mongod", mongo.pid()));
        gateways.forEach(gateway -> watch.put(gateway.name(), gateway.watch().getOrDefault("gateway", 0L)));
        return http(
                gateways.size() + (gateways.size() == 1 ? " gateway" : " gateways"), server, watch, run.clientThreads);
    }

    /// A gateway process that the caller closes.
    HttpServer startGateway(String name, Mongo mongo) throws IOException, InterruptedException {
        return GatewayProcess.start(
                target.gatewayJar, target.gatewayJvm, mongo, target.gatewayConfig, folder.resolve(name + ".log"));
    }

    /// A server in `perftest/peers`, which checks no credentials; installed when it is first needed.
    HttpSubject peer(String name, String script, Mongo mongo) throws IOException, InterruptedException {
        var server = keep(Peers.prepared().start(script, mongo));
        return http(name, server, Map.of("server", server.pid(), "mongod", mongo.pid()), run.clientThreads);
    }

    /// The same of a released gateway, with its default configuration.
    HttpSubject incumbent(Incumbent.Release release, Mongo mongo) throws IOException, InterruptedException {
        var log = folder.resolve(release.name().toLowerCase(ROOT) + ".log");
        var server = keep(Incumbent.start(Peers.prepared(), release, target.gatewayJvm, mongo, log));
        var worker = worker();
        var watch = Map.of("server", server.pid(), "mongod", mongo.pid());
        return new HttpSubject(
                release.label(), worker, new RestDialect(server.port(), "", ""), watch, run.clientThreads, run.seed);
    }

    HttpSubject nullServer(String name, int clientThreads) throws IOException {
        var server = keep(HttpServer.start(List.of("-XX:+UseSerialGC"), List.of("null-server")));
        return http(name, server, Map.of("server", server.pid()), clientThreads);
    }

    /// A server of graphql-java with the driver over the collections of
    /// [org.restheart.perftest.deploy.GraphqlApp].
    HttpSubject plainGraphql(String name, Mongo mongo, int documents) throws IOException {
        var server = keep(HttpServer.start(
                target.gatewayJvm,
                List.of(
                        "plain-graphql",
                        "--mongo",
                        mongo.connectionString(),
                        "--documents",
                        Integer.toString(documents))));
        return http(name, server, Map.of("server", server.pid(), "mongod", mongo.pid()), run.clientThreads);
    }

    DriverSubject driver(Mongo mongo) throws IOException {
        return new DriverSubject("driver", worker(), mongo, run.seed);
    }

    /// Makes sure that a server answers as MongoDB does, before it is measured.
    void verify(HttpSubject subject, Mongo mongo, Operation... operations) throws IOException, InterruptedException {
        try (var verification = new Verification(mongo)) {
            for (var operation : operations) {
                verification.check(subject, operation);
            }
        }
    }

    private HttpSubject http(String name, HttpServer server, Map<String, Long> watch, int clientThreads)
            throws IOException {
        var dialect = new RestDialect(server.port(), target.credentials, target.pageParameters);
        return new HttpSubject(name, worker(), dialect, watch, clientThreads, run.seed);
    }

    Worker worker() throws IOException {
        return worker(System.getProperty("java.class.path"));
    }

    /// The same with other libraries.
    Worker worker(String classPath) throws IOException {
        return keep(Worker.start(classPath, target.clientJvm, bar::show));
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
            var load = new DriverLoad(mongo.connectionString(), operation, concurrency, window, seed);
            return worker.run(new Task.Driver(load, Map.of("mongod", mongo.pid())));
        }
    }
}

package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.core.accounts.MongoFailures;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.Finding;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.core.config.Sources;
import org.restheart.core.logging.LogSetup;
import org.restheart.core.server.StartException;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.server.WatchedFiles;
import org.restheart.core.service.BuildInfo;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.embedded.EmbeddedMongoException;
import org.restheart.embedded.EmbeddedMongoException.DirectoryInUse;
import org.restheart.mongo.error.WrongDeploymentException;
import org.restheart.rest.resource.Mounts.Mount;
import org.restheart.security.realm.DefaultAccount;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The gateway and the other components of the process.
final class RunningServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
    private static final String MAX_POOL_SIZE = "jdk.virtualThreadScheduler.maxPoolSize";
    private static final String CONNECTION = "/mclient/connection-string";

    /// Keys that [#reload] and [Gateway#reload] take over; extend both together.
    private static final Predicate<String> RELOADED = Pattern.compile("/logging/(log-level|packages)"
                    + "|/https-listener/(certificate-file|private-key-file|keystore-path|keystore-password|certificate-password)"
                    + "|/fileRealmAuthenticator/(users|conf-file)|/fileAclAuthorizer/(permissions|conf-file)"
                    + "|/rateLimits/((address|account)-(requests-per-minute|burst)|unlimited-roles|exempt-paths)")
            .asMatchPredicate();

    private final Sources sources;
    private final Configuration started;
    private final Gateway.ClosingOrder parts;
    private final Gateway gateway;
    private final URI uri;

    /// Changed by the thread that handles the signal.
    private volatile Configuration latest;

    /// Whether the latest credentials for MongoDB are not used. Guarded by this.
    private boolean refused;

    private RunningServer(
            Sources sources, Configuration started, Gateway.ClosingOrder parts, Gateway gateway, URI uri) {
        this.sources = sources;
        this.started = started;
        this.latest = started;
        this.parts = parts;
        this.gateway = gateway;
        this.uri = uri;
    }

    /// Starts all components; returns when requests are served.
    ///
    /// @throws org.restheart.core.config.ConfigException when the configuration cannot be used
    static RunningServer start(
            Sources sources, Optional<Path> embedded, Path pidDirectory, PrintStream hints, Instant began)
            throws StartFailure {
        var configuration = Configuration.load(sources);
        var parsed = configuration.read();
        var config = parsed.orThrow();
        LogSetup.apply(config.logging());
        LOG.info(
                "RESTHeart {}, instance {}",
                BuildInfo.load().version(),
                config.core().name());
        LOG.info("Configuration: {}", configuration.origin());
        configuration.overrides().forEach(override -> LOG.info("Override: {}", override));
        parsed.findings().forEach(RunningServer::log);
        applyCarriers(config.core());

        var parts = new Gateway.ClosingOrder();
        var started = false;
        try {
            parts.push(PidFile.write(pidDirectory, sources.file())::close);
            UndertowListener.requireFreePorts(config.http(), config.https(), config.management());
            var used = embedded.isPresent() ? withEmbedded(sources, embedded.get(), parts) : configuration;
            var effective = embedded.isPresent() ? used.read().orThrow() : config;
            var gateway = Gateway.start(effective);
            parts.push(gateway::close);
            var server = new RunningServer(
                    sources,
                    configuration,
                    parts,
                    gateway,
                    uri(effective, gateway.address().getPort()));
            if (embedded.isEmpty()) {
                var watched = new WatchedFiles(
                        "mongo-credentials", () -> server.latest.credentialFiles(), server::credentialsChanged);
                parts.push(watched::close);
                watched.start();
            }
            var _ = gateway.firstAccount().thenAccept(hints::println); // not into a log file
            server.whenWarm(used, effective.core().warmUp(), () -> {
                server.announce(effective, Duration.between(began, Instant.now()));
                embedded.ifPresent(_ -> FirstSteps.print(
                        hints,
                        server.uri,
                        served(effective),
                        effective.uri("console").map(console -> server.uri.resolve(console + "/")),
                        configuration.hasDefaultAccount() || gateway.foundDefaultPassword()));
            });
            started = true;
            return server;
        } catch (DirectoryInUse e) {
            throw new StartFailure(e, "; stop that one, or choose another directory: --embedded-mongo=DIR");
        } catch (StartException | EmbeddedMongoException e) {
            throw new StartFailure(e, "");
        } finally {
            if (!started) {
                parts.close();
            }
        }
    }

    /// Runs a task when the code has been exercised, at once if it is not to be. A stop does not wait for it.
    private void whenWarm(Configuration used, Duration time, Runnable task) {
        if (time.isZero()) {
            task.run();
            return;
        }
        var thread = Thread.ofPlatform().name("warm-up").daemon().start(() -> {
            WarmUp.run(used, time);
            if (!Thread.currentThread().isInterrupted()) {
                gateway.warmedUp();
                task.run();
            }
        });
        parts.push(() -> {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /// Creates an account with the root role in the deployment that the configuration names; see
    /// [ResetAdmin].
    ///
    /// @param embedded the data directory of a mongod to start for it
    /// @throws org.restheart.core.config.ConfigException when the configuration cannot be used
    static ResetAdmin.Account resetAdmin(Sources sources, Optional<Path> embedded) throws StartFailure {
        var config = Configuration.load(sources).read().orThrow();
        LogSetup.apply(config.logging());
        var parts = new Gateway.ClosingOrder();
        try {
            return ResetAdmin.run(
                    embedded.isPresent()
                            ? withEmbedded(sources, embedded.get(), parts)
                                    .read()
                                    .orThrow()
                            : config);
        } catch (DirectoryInUse e) {
            throw new StartFailure(
                    e,
                    "; while that one runs, name its MongoDB instead: --reset-admin --mongo '"
                            + e.connectionString().orElse("mongodb://…") + "'");
        } catch (StartException | EmbeddedMongoException | MongoException e) {
            throw new StartFailure(e, "");
        } finally {
            parts.close();
        }
    }

    private static void log(Finding finding) {
        switch (finding.level()) {
            case REFUSED -> LOG.error("{}", finding);
            case SUSPECT, ADVICE -> LOG.warn("{}", finding);
            case DETAIL -> LOG.debug("{}", finding);
        }
    }

    /// The configuration with the connection string of an embedded mongod.
    private static Configuration withEmbedded(Sources sources, Path dataDirectory, Gateway.ClosingOrder parts) {
        var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(dataDirectory));
        parts.push(mongo::close);
        return Configuration.load(sources.withMongo(mongo.connectionString()));
    }

    private static URI uri(GatewayConfig config, int port) {
        var listener = config.http().enabled() ? config.http() : config.https().listener();
        var scheme = config.http().enabled() ? "http" : "https";
        var anyAddress = listener.host().equals("0.0.0.0") || listener.host().equals("::");
        return URI.create(scheme + "://" + (anyAddress ? "localhost" : listener.host()) + ":" + port);
    }

    private void announce(GatewayConfig config, Duration took) {
        if (config.mclient().enabled()) {
            LOG.info("MongoDB: {}", config.mclient().masked());
        }
        served(config).stream()
                .filter(mount -> mount.what().equals("*"))
                .forEach(mount -> LOG.info(
                        "All databases are served at {}: a PUT to a name below it creates a database", mount.where()));
        LOG.info("RESTHeart is ready at {} after {} ms", uri, took.toMillis());
    }

    /// The mounts as clients see them, below `mongo.uri`.
    static List<Mount> served(GatewayConfig config) {
        return config.mongo().stream()
                .flatMap(mongo -> mongo.mounts().stream()
                        .map(mount -> new Mount(mount.what(), mongo.uri().replaceAll("/+$", "") + mount.where())))
                .toList();
    }

    URI uri() {
        return uri;
    }

    /// Reads the configuration again and takes over what can change while requests are served: the levels of the
    /// log, the certificate, rate limits, accounts and permissions of files. A configuration that cannot be used is
    /// reported, and nothing changes. Credentials for MongoDB come last: the rest does not wait until they work.
    /// Keys that have changed and need a restart are named.
    synchronized void reload() {
        LogSetup.reopenFiles();
        LOG.info("Reloading the configuration");
        try {
            var configuration = Configuration.load(sources);
            var parsed = configuration.read();
            var config = parsed.orThrow();
            gateway.reload(config);
            LogSetup.applyLevels(config.logging());
            parsed.findings().forEach(RunningServer::log);
            refused = false; // to be told again
            refused = !renewCredentials(config);
            gateway.reloaded(!refused);
            var taken = RELOADED.or(key -> key.equals(CONNECTION) && gateway.isConnectedBy(config.mclient()));
            var changed =
                    configuration.differences(latest).stream().filter(taken).toList();
            latest = configuration;
            LOG.info(
                    "Log levels, certificate, rate limits, accounts and permissions of files are as configured now{}",
                    changed.isEmpty() ? "" : "; changed: " + String.join(", ", changed));
            var waiting = configuration.differences(started).stream()
                    .filter(key -> !taken.test(key) && !(key.equals(CONNECTION) && refused))
                    .toList();
            if (!waiting.isEmpty()) {
                LOG.warn("These changes take effect after a restart: {}", String.join(", ", waiting));
            }
        } catch (ConfigException e) {
            gateway.reloaded(false);
            e.findings().forEach(RunningServer::log);
            LOG.error("Nothing was changed");
        } catch (StartException e) {
            gateway.reloaded(false);
            LOG.error("Nothing was changed: {}", e.getMessage());
        }
    }

    private boolean renewCredentials(GatewayConfig config) {
        try {
            if (gateway.renewCredentials(config)) {
                LOG.info("The credentials for MongoDB have changed, and are used");
            }
            return true;
        } catch (StartException e) {
            if (!refused) {
                LOG.warn("The credentials for MongoDB have changed, and the former ones stay: {}", e.getMessage());
            }
            return false;
        }
    }

    /// Takes over what files have as credentials for MongoDB. MongoDB may get to know them later than they are written.
    ///
    /// @return whether there is nothing to try again
    private synchronized boolean credentialsChanged() {
        boolean known = refused;
        try {
            var config = Configuration.load(sources).read().orThrow();
            boolean before = gateway.isConnectedBy(config.mclient());
            if (renewCredentials(config)) {
                refused = !gateway.isConnectedBy(config.mclient());
                if (refused) {
                    LOG.warn("{} has changed not only in user and password, and needs a restart", CONNECTION);
                }
                if (refused || known || !before) {
                    gateway.reloaded(!refused);
                }
                return true;
            }
        } catch (ConfigException e) {
            if (!known) {
                LOG.warn("The credentials for MongoDB cannot be read: {}", e.getMessage());
            }
        }
        if (!known) {
            gateway.reloaded(false);
        }
        refused = true;
        return false;
    }

    /// Stops; requests in flight have the configured time to complete.
    @Override
    public void close() {
        LOG.info("Stopping");
        gateway.announceStop();
        parts.close();
        LOG.info("Stopped");
    }

    /// The number of carrier threads of virtual threads. The JDK reads these properties once, when the first
    /// virtual thread starts; properties of the launch command take precedence over the configuration.
    private static void applyCarriers(CoreConfig core) {
        if (System.getProperty(PARALLELISM) == null && System.getProperty(MAX_POOL_SIZE) == null) {
            System.setProperty(PARALLELISM, String.valueOf(core.workersParallelism()));
            System.setProperty(MAX_POOL_SIZE, String.valueOf(core.workersMaxPoolSize()));
        }
    }

    /// The server cannot start for a reason that the operator can fix; the message says how.
    static final class StartFailure extends Exception {
        private StartFailure(Throwable cause, String remedy) {
            super(cause.getMessage() + remedy, cause);
        }
    }

    /// `--reset-admin`: creates an account with the root role, or gives the existing one a new password,
    /// for operators who cannot log in any more. Needs only the connection string of the deployment, no
    /// running server.
    static final class ResetAdmin {
        private ResetAdmin() {}

        /// @param password is stored as a hash only, and shown once
        record Account(String name, String role, String password) {
            @Override
            public String toString() {
                return "Account[" + name + "]";
            }
        }

        /// @throws ConfigException if accounts are not in MongoDB, or there is no root role
        /// @throws StartException if MongoDB cannot be used
        static Account run(GatewayConfig config) {
            var realm = config.security().mongoRealm().orElseThrow(() -> refused("mongoRealmAuthenticator is off"));
            var role = config.security().rootRole().orElseThrow(() -> refused("mongoAclAuthorizer has no root-role"));
            var password = MongoRealmConfig.randomPassword();
            store(config, realm, role, password);
            return new Account(DefaultAccount.NAME, role, password);
        }

        private static void store(GatewayConfig config, MongoRealmConfig realm, String role, String password) {
            var users = realm.users();
            var roles = users.roles().dotted().orElseThrow(() -> refused("json-path-roles is not a path of names"));
            var change = new BsonDocument(users.passwordProperty(), new BsonString(realm.stored(password)))
                    .append(roles, new BsonArray(List.of(new BsonString(role))))
                    .append("_etag", new BsonObjectId());
            try (var connection = MongoConnection.open(config, new SimpleMeterRegistry(), List.of())) {
                var client = connection.client();
                try {
                    client.getDatabase(users.database())
                            .getCollection(users.collection(), BsonDocument.class)
                            .updateOne(
                                    Filters.eq(users.nameProperty(), DefaultAccount.NAME),
                                    new BsonDocument("$set", change),
                                    new UpdateOptions().upsert(true));
                } catch (WrongDeploymentException e) {
                    throw e;
                } catch (MongoTimeoutException e) {
                    throw new StartException(MongoFailures.unreachable(client.getClusterDescription()), e);
                } catch (MongoSecurityException e) {
                    throw new StartException(MongoFailures.REFUSED, e);
                }
            }
        }

        private static ConfigException refused(String why) {
            return ConfigException.of("--reset-admin makes an account in MongoDB: " + why);
        }
    }

    /// Prints example commands for new users.
    static final class FirstSteps {
        private FirstSteps() {}

        /// Prints three commands. They have `-g`, so that curl does not interpret the braces of the last
        /// one. None are printed if the first mount is not one of all databases, or of one.
        static void print(PrintStream out, URI uri, List<Mount> mounts, Optional<URI> console, boolean defaultAccount) {
            var user = defaultAccount ? DefaultAccount.NAME + ":" + DefaultAccount.PASSWORD : "USER:PASSWORD";
            var curl = "  curl -ig -u " + user;
            out.println();
            if (defaultAccount) {
                out.println("Sign in as " + DefaultAccount.NAME + " with password " + DefaultAccount.PASSWORD + ".");
            }
            database(mounts).ifPresent(path -> {
                var books = uri + path + "/books";
                out.println("Try:");
                out.println(curl + " -X PUT " + uri + (path.isEmpty() ? "/" : path) + " " + books);
                out.println(curl
                        + " -d '{\"title\": \"The Periodic Table\", \"year\": 1975}' -H 'Content-Type:"
                        + " application/json' "
                        + books);
                out.println(curl + " '" + books + "?filter={\"year\":1975}'");
            });
            console.ifPresent(page -> out.println("In a browser: " + page));
            out.println();
            out.flush();
        }

        /// The path of a database, without a slash at its end.
        private static Optional<String> database(List<Mount> mounts) {
            return mounts.stream()
                    .findFirst()
                    .filter(mount -> !mount.where().contains("{"))
                    .flatMap(mount -> {
                        var base = mount.where().replaceAll("/+$", "");
                        var what = mount.what().replaceAll("^/|/$", "");
                        return what.contains("/")
                                ? Optional.empty()
                                : Optional.of(what.equals("*") ? base + "/test" : base);
                    });
        }
    }

    /// `core.warm-up-seconds`: before `/health/ready` is 200, everyday requests exercise the code, so that
    /// the JVM has compiled it when clients come. They go to a gateway of its own in this process, which
    /// listens on a port of this machine, knows one account, whose password is random, and reads the same
    /// MongoDB; nothing is written. What fails is only logged.
    record WarmUp(InetSocketAddress address, String authorization, long end) {
        private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

        /// As many requests at once as are coalesced, but fewer than would fill the connections of a small
        /// MongoDB.
        private static final int CLIENTS = 32;

        /// Databases and collections that are looked at for a document.
        private static final int LOOKED_AT = 20;

        /// A document that is read must be small, so that the code is exercised rather than the network.
        private static final int MOST_BYTES = 64 << 10;

        private static final int TIMEOUT_MILLIS = 10_000;

        private record Subject(String path, String id) {}

        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record Answer(int status, byte[] content) {}

        /// Returns at the end of that time, or when the thread is interrupted.
        static void run(Configuration configuration, Duration time) {
            long end = System.nanoTime() + time.toNanos();
            var password = MongoRealmConfig.randomPassword();
            try (var gateway = Gateway.start(
                    configuration.forWarmUp("warm-up", password).read().orThrow())) {
                var credentials = ("warm-up:" + password).getBytes(StandardCharsets.UTF_8);
                var warmUp = new WarmUp(
                        gateway.address(), "Basic " + Base64.getEncoder().encodeToString(credentials), end);
                int answered = warmUp.exercise();
                if (System.nanoTime() >= end) { // else the server stops
                    LOG.info("Warmed up by {} requests in {} s", answered, time.toSeconds());
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("The server starts without a complete warm-up: {}", e.toString());
            }
        }

        private int exercise() throws IOException {
            Subject subject;
            try (var connection = new Client()) {
                subject = subject(connection);
            }
            var requests = requests(subject);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var clients = Stream.generate(() -> (Callable<Integer>) () -> repeat(requests))
                        .limit(CLIENTS)
                        .toList();
                int answered = 0;
                for (var client : threads.invokeAll(clients)) {
                    answered += client.get();
                }
                return answered;
            } catch (ExecutionException e) {
                throw new IOException(e.getCause());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return 0;
            }
        }

        private int repeat(List<String> requests) throws IOException {
            try (var connection = new Client()) {
                int answered = 0;
                while (System.nanoTime() < end && !Thread.interrupted()) {
                    connection.ask(requests.get(answered++ % requests.size()));
                }
                return answered;
            }
        }

        /// A small document, if there is one.
        private static Subject subject(Client connection) throws IOException {
            for (var database : names(connection.ask(get("/")))) {
                for (var collection : names(connection.ask(get("/" + database)))) {
                    var path = "/" + database + "/" + collection;
                    var page = connection.ask(get(path + "?pagesize=1&keys=%7B%22_id%22:1%7D"));
                    var found = page.status == 200 ? array(page) : new BsonArray();
                    var id = found.isEmpty()
                            ? ""
                            : id(found.getFirst().asDocument().get("_id", BsonNull.VALUE));
                    if (!id.isEmpty() && connection.ask(get(path + "/" + id)).content.length < MOST_BYTES) {
                        return new Subject(path, id);
                    }
                }
            }
            return new Subject("/restheart/none", new ObjectId().toHexString());
        }

        private static List<String> names(Answer answer) {
            return answer.status == 200
                    ? array(answer).stream()
                            .filter(BsonValue::isString)
                            .map(name -> name.asString().getValue())
                            .filter(name -> name.matches("[A-Za-z0-9][A-Za-z0-9_-]*"))
                            .limit(LOOKED_AT)
                            .toList()
                    : List.of();
        }

        private static BsonArray array(Answer answer) {
            return BsonArray.parse(new String(answer.content, StandardCharsets.UTF_8));
        }

        /// As it is in a path; empty if it would need more than its characters.
        private static String id(BsonValue id) {
            return switch (id) {
                case BsonString text when text.getValue().matches("[A-Za-z0-9_-]+") -> text.getValue();
                case BsonValue value
                when value.isObjectId() -> value.asObjectId().getValue().toHexString();
                default -> "";
            };
        }

        /// A document that does not exist is not changed.
        private static List<String> requests(Subject subject) {
            var one = get(subject.path + "/" + subject.id);
            var page = get(subject.path + "?pagesize=5");
            var missing = new ObjectId().toHexString();
            var change = request(
                    "PATCH",
                    subject.path + "/" + missing + "?wm=update",
                    new BsonDocument("warm", new BsonString("up")).toJson());
            return List.of(get("/ping"), one, page, one, page, change, one, page);
        }

        private static String get(String target) {
            return request("GET", target, "");
        }

        private static String request(String method, String target, String content) {
            return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n"
                    + (content.isEmpty()
                            ? "\r\n"
                            : "Content-Type: application/json\r\nContent-Length: " + content.length() + "\r\n\r\n"
                                    + content);
        }

        /// One connection. Confined to one thread.
        private final class Client implements AutoCloseable {
            private final Socket socket = new Socket();
            private final InputStream in;

            Client() throws IOException {
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(address, TIMEOUT_MILLIS);
                in = new BufferedInputStream(socket.getInputStream());
            }

            Answer ask(String request) throws IOException {
                var sent = request.replace(
                        "Host: localhost\r\n", "Host: localhost\r\nAuthorization: " + authorization + "\r\n");
                socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
                int status = Integer.parseInt(line().substring(9, 12));
                int length = 0;
                for (var field = line(); !field.isEmpty(); field = line()) {
                    if (field.regionMatches(true, 0, "content-length:", 0, 15)) {
                        length = Integer.parseInt(field.substring(15).trim());
                    } else if (field.regionMatches(true, 0, "transfer-encoding:", 0, 18)) {
                        throw new IOException("a response is too large");
                    }
                }
                return new Answer(status, in.readNBytes(length));
            }

            private String line() throws IOException {
                var line = new StringBuilder();
                for (int c = in.read(); c != '\n'; c = in.read()) {
                    if (c < 0) {
                        throw new EOFException("a connection was closed");
                    }
                    line.append((char) c);
                }
                return line.toString().stripTrailing();
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        }
    }
}

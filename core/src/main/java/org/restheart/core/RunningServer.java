package org.restheart.core;

import com.mongodb.MongoException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.Finding;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.Sources;
import org.restheart.core.logging.LogSetup;
import org.restheart.core.server.StartException;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.service.BuildInfo;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.embedded.EmbeddedMongoException;
import org.restheart.embedded.EmbeddedMongoException.DirectoryInUse;
import org.restheart.mongo.MongoConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The gateway and the other components of the process.
final class RunningServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
    private static final String MAX_POOL_SIZE = "jdk.virtualThreadScheduler.maxPoolSize";

    /// Keys that [#reload] and [Gateway#reload] take over; extend both together.
    private static final Predicate<String> RELOADED = Pattern.compile("/logging/(log-level|packages)"
                    + "|/https-listener/(keystore-path|keystore-password|certificate-password)"
                    + "|/fileRealmAuthenticator/(users|conf-file)"
                    + "|/fileAclAuthorizer/(permissions|conf-file)"
                    + "|/rateLimits/((address|account)-(requests-per-minute|burst)|unlimited-roles|exempt-paths)")
            .asMatchPredicate();

    private final Sources sources;
    private final Configuration started;
    private final Gateway.ClosingOrder parts;
    private final Gateway gateway;
    private final URI uri;

    /// Changed by the thread that handles the signal.
    private volatile Configuration latest;

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
    /// @param embedded the data directory of a mongod to start and use
    /// @param hints the output for example commands
    /// @param began when the process was started
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
            var effective = embedded.isPresent() ? withEmbedded(sources, embedded.get(), parts) : config;
            var gateway = Gateway.start(effective);
            parts.push(gateway::close);
            var server = new RunningServer(
                    sources,
                    configuration,
                    parts,
                    gateway,
                    uri(effective, gateway.address().getPort()));
            var _ = gateway.firstAccount().thenAccept(hints::println); // not into a log file
            server.announce(effective, Duration.between(began, Instant.now()));
            embedded.ifPresent(_ -> FirstSteps.print(
                    hints,
                    server.uri,
                    effective.mongo().map(MongoConfig::mounts).orElse(List.of()),
                    effective.console().map(console -> server.uri.resolve(console.uri() + "/")),
                    configuration.hasDefaultAccount() || gateway.foundDefaultPassword()));
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
            return ResetAdmin.run(embedded.isPresent() ? withEmbedded(sources, embedded.get(), parts) : config);
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
    private static GatewayConfig withEmbedded(Sources sources, Path dataDirectory, Gateway.ClosingOrder parts) {
        var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(dataDirectory));
        parts.push(mongo::close);
        return Configuration.load(sources.withMongo(mongo.connectionString()))
                .read()
                .orThrow();
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
        config.mongo().map(MongoConfig::mounts).orElse(List.of()).stream()
                .filter(mount -> mount.what().equals("*"))
                .forEach(mount -> LOG.info(
                        "All databases are served at {}: a PUT to a name below it creates a database", mount.where()));
        LOG.info("RESTHeart is ready at {} after {} ms", uri, took.toMillis());
    }

    /// The URI of the server on this machine.
    URI uri() {
        return uri;
    }

    /// Reads the configuration again and takes over what can change while requests are served: the levels of the
    /// log, the certificate, rate limits, accounts and permissions of files. A configuration that cannot be used is
    /// reported, and nothing changes. Keys that have changed and need a restart are named.
    void reload() {
        LOG.info("Reloading the configuration");
        try {
            var configuration = Configuration.load(sources);
            var parsed = configuration.read();
            var config = parsed.orThrow();
            gateway.reload(config);
            LogSetup.applyLevels(config.logging());
            parsed.findings().forEach(RunningServer::log);
            var changed =
                    configuration.differences(latest).stream().filter(RELOADED).toList();
            latest = configuration;
            LOG.info(
                    "Log levels, certificate, rate limits, accounts and permissions of files are as configured now{}",
                    changed.isEmpty() ? "" : "; changed: " + String.join(", ", changed));
            var waiting = configuration.differences(started).stream()
                    .filter(RELOADED.negate())
                    .toList();
            if (!waiting.isEmpty()) {
                LOG.warn("These changes take effect after a restart: {}", String.join(", ", waiting));
            }
        } catch (ConfigException e) {
            e.findings().forEach(RunningServer::log);
            LOG.error("Nothing was changed");
        } catch (StartException e) {
            LOG.error("Nothing was changed: {}", e.getMessage());
        }
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
        /// @param remedy what to do, after the message of the cause; may be empty
        private StartFailure(Throwable cause, String remedy) {
            super(cause.getMessage() + remedy, cause);
        }
    }
}

package org.restheart.perftest.experiment;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What is measured: which gateway, which MongoDB.
final class TargetOptions {
    @Option(
            names = "--mongo",
            defaultValue = "${env:MONGODB_URI}",
            description = "Connection string of a replica set on this machine; default: $MONGODB_URI, else one of "
                    + "its own is started.")
    @Nullable
    String mongo;

    @Option(
            names = "--mongo-data",
            description = "Where that one keeps its data from run to run; default ${DEFAULT-VALUE}.")
    Path mongoData = Path.of("perftest/target/mongo");

    @Option(names = "--mongo-cache-mb", description = "WiredTiger's cache of that one; default ${DEFAULT-VALUE}.")
    int mongoCacheMegabytes = 2048;

    @Option(names = "--gateway-jar", description = "Default ${DEFAULT-VALUE}.")
    Path gatewayJar = Path.of("core/target/restheart.jar");

    @Option(names = "--builds", description = "Where gateways of other commits are kept; default ${DEFAULT-VALUE}.")
    Path builds = Path.of("perftest/target/builds");

    @Option(
            names = "--gateway-jvm",
            split = " ",
            description = "JVM options of the gateway, separated by blanks; default ${DEFAULT-VALUE}.")
    List<String> gatewayJvm = List.of("-XX:+UseCompactObjectHeaders");

    @Option(
            names = "--gateway-config",
            description = "Overrides of its configuration, as in the RHO environment variable.")
    String gatewayConfig = "";

    @Option(names = "--credentials", description = "For HTTP Basic; default ${DEFAULT-VALUE}.")
    String credentials = "admin:secret";

    @Option(
            names = "--page-parameters",
            description = "Query parameters to add when the gateway is asked for pages, such as eager=linear.")
    String pageParameters = "";

    @Option(
            names = "--client-jvm",
            split = " ",
            description = "JVM options of the driver, separated by blanks; default ${DEFAULT-VALUE}.")
    List<String> clientJvm = List.of("-Xmx512m", "-XX:+UseSerialGC");

    /// The gateway's, for reports.
    String configuration() {
        return gatewayConfig.isBlank() ? "its defaults" : gatewayConfig;
    }

    /// Whether a MongoDB is started for this run.
    boolean ownMongo() {
        return mongo == null || mongo.isBlank();
    }

    Map<String, String> settings() {
        var settings = new LinkedHashMap<String, String>();
        settings.put("gateway's JVM options", String.join(" ", gatewayJvm));
        settings.put("gateway's configuration", configuration());
        if (!pageParameters.isEmpty()) {
            settings.put("parameters of page requests", pageParameters);
        }
        settings.put(
                "mongod",
                ownMongo()
                        ? "started for this run, one member, WiredTiger cache " + mongoCacheMegabytes + " MB"
                        : "was running already, named by --mongo or $MONGODB_URI");
        settings.put("driver's JVM options", String.join(" ", clientJvm));
        return settings;
    }
}

package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A released gateway of the same name in a process of its own, from artifacts that Maven fetches, with its default
/// configuration but for address and MongoDB.
public final class Incumbent {
    private static final String MAIN = "org.restheart.Bootstrapper";

    /// What can be had from Maven Central.
    public enum Release {
        /// The newest; answers pings, but the plugins that serve data are not there.
        WITHOUT_DATA("restheart-9", "RESTHeart 9.5.2, no data"),
        /// The newest that is there in full, of 2018.
        WITH_DATA("restheart-3", "RESTHeart 3.2.2");

        private final String artifact;
        private final String label;

        Release(String artifact, String label) {
            this.artifact = artifact;
            this.label = label;
        }

        /// The name used in reports.
        public String label() {
            return label;
        }
    }

    private Incumbent() {}

    /// @param peers where it is installed
    /// @param log the gateway's output
    public static HttpServer start(Peers peers, Release release, List<String> jvmOptions, Mongo mongo, Path log)
            throws IOException, InterruptedException {
        var port = HttpServer.freePort();
        var libraries = peers.libraries(release.artifact);
        var command = new ArrayList<String>();
        command.add(Child.java());
        command.addAll(jvmOptions);
        if (release == Release.WITH_DATA) {
            // its HTTP server, made for Java 8, frees its buffers through these
            command.addAll(List.of(
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"));
        }
        command.addAll(List.of("-cp", libraries.resolve("*").toString(), MAIN));
        var builder = new ProcessBuilder(command);
        if (release == Release.WITH_DATA) {
            var configuration = libraries.resolveSibling(release.artifact + ".yml");
            Files.writeString(configuration, configuration(port, mongo));
            command.add(configuration.toString());
        } else {
            builder.environment().put("RHO", "/http-listener/port -> " + port);
        }
        return HttpServer.start(builder, port, release == Release.WITH_DATA ? "/" : "/ping", log);
    }

    /// The old format. Its driver has no implicit write concern, so that one is configured; the server does not
    /// start without a connection option.
    private static String configuration(int port, Mongo mongo) {
        var separator = mongo.connectionString().contains("?") ? "&" : "/?";
        return """
                http-listener: true
                http-host: 127.0.0.1
                http-port: %d
                https-listener: false
                ajp-listener: false
                enable-log-file: false
                mongo-uri: "%s%sw=majority"
                connection-options:
                  ALWAYS_SET_DATE: true
                """.formatted(port, mongo.connectionString(), separator);
    }
}

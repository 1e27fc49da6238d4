package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// Servers that others have built: Node.js with what npm installs, written for the line-up and kept minimal.
/// Immutable.
///
/// @param folder holds the scripts and their `node_modules`
public record Peers(Path folder) {
    private static final Path SCRIPTS = Path.of("perftest/peers");
    private static final Path CACHE = Path.of("perftest/target/peers");
    private static final String PACKAGE = "package.json";

    /// Copies the scripts into the build folder, where what they need is installed when it is.
    public static Peers prepared() throws IOException {
        Files.createDirectories(CACHE);
        try (var scripts = Files.list(SCRIPTS)) {
            for (var script : scripts.filter(Files::isRegularFile).toList()) {
                if (!script.endsWith(PACKAGE)) {
                    Files.copy(script, CACHE.resolve(script.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return new Peers(CACHE);
    }

    /// Installs what the scripts need, unless that was done for the same list of packages.
    private void installPackages() throws IOException, InterruptedException {
        var packages = folder.resolve(PACKAGE);
        var upToDate = Files.exists(folder.resolve("node_modules"))
                && Files.exists(packages)
                && Files.mismatch(packages, SCRIPTS.resolve(PACKAGE)) < 0;
        if (!upToDate) {
            Files.copy(SCRIPTS.resolve(PACKAGE), packages, StandardCopyOption.REPLACE_EXISTING);
            install();
        }
    }

    /// Without the packages' install scripts, which may do anything and are not needed.
    private static void install() throws IOException, InterruptedException {
        var command = List.of("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock");
        Child.run(CACHE, command, "npm failed; the line-up needs Node.js and npm");
    }

    /// Of Node.js, such as `v24.1.0`.
    public static String nodeVersion() throws InterruptedException {
        return Child.output("node", "--version").orElse("unknown");
    }

    public HttpServer start(String script, Mongo mongo) throws IOException, InterruptedException {
        installPackages();
        var builder = new ProcessBuilder("node", "--no-deprecation", script)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("MONGODB_URI", mongo.connectionString());
        return HttpServer.of(builder.start(), script);
    }
}

package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// Servers that others have built, written for the line-up and kept minimal: Node.js with what npm installs. Immutable.
///
/// @param folder holds the scripts and their `node_modules`
public record Peers(Path folder) {
    private static final Path SCRIPTS = Path.of("perftest/peers");
    private static final Path CACHE = Path.of("perftest/target/peers");
    private static final String PACKAGE = "package.json";

    /// Installs what the scripts need into the build folder, unless that was done for the same list of packages.
    public static Peers installed() throws IOException, InterruptedException {
        Files.createDirectories(CACHE);
        var packages = CACHE.resolve(PACKAGE);
        var upToDate = Files.exists(CACHE.resolve("node_modules"))
                && Files.exists(packages)
                && Files.mismatch(packages, SCRIPTS.resolve(PACKAGE)) < 0;
        try (var scripts = Files.list(SCRIPTS)) {
            for (var script : scripts.filter(Files::isRegularFile).toList()) {
                Files.copy(script, CACHE.resolve(script.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (!upToDate) {
            install();
        }
        return new Peers(CACHE);
    }

    /// Without the packages' install scripts, which may do anything and are not needed.
    private static void install() throws IOException, InterruptedException {
        var command = List.of("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock");
        System.out.println(String.join(" ", command));
        var status = new ProcessBuilder(command)
                .directory(CACHE.toFile())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("npm failed with status " + status + "; the line-up needs Node.js and npm");
        }
    }

    /// Of Node.js, such as `v24.1.0`.
    public static String nodeVersion() throws IOException {
        var process = new ProcessBuilder("node", "--version").start();
        try (var output = process.inputReader()) {
            return String.valueOf(output.readLine());
        }
    }

    /// Starts one of the scripts.
    public ChildServer start(String script, Mongo mongo) throws IOException {
        var builder = new ProcessBuilder("node", "--no-deprecation", script)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("MONGODB_URI", mongo.connectionString());
        return ChildServer.of(builder.start(), script);
    }
}

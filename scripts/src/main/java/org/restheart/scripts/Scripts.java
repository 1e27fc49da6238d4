package org.restheart.scripts;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;
import org.restheart.plugin.Installation;
import org.restheart.plugin.Plugin;
import org.restheart.plugin.Selector;
import org.restheart.plugin.ServicePath;
import org.restheart.plugin.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The plugin: deploys the scripts in folders, and again when files there have changed. Nothing of the engine is loaded
/// before there are scripts.
public final class Scripts implements Plugin {
    private static final Logger LOG = LoggerFactory.getLogger(Scripts.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String MANIFEST = "package.json";

    /// Levels of folders that are watched.
    private static final int DEPTH = 5;

    /// The scripts that answer now, by their files.
    private volatile Map<Path, Script> deployed = Map.of();

    private Map<Path, Long> seen = Map.of();
    private @Nullable ScriptThreads threads;

    /// @param root has a `package.json`, or folders with one
    private record Setup(Path root, ScriptThreads.Limits limits, BsonDocument args) {
        static Optional<Setup> of(Settings settings) {
            var limits = ScriptThreads.Limits.of(settings);
            var args = new BsonDocument();
            try {
                settings.text("args").ifPresent(text -> args.putAll(BsonDocument.parse(text)));
                args.values().forEach(BsonValue::asDocument);
            } catch (JsonParseException | BsonInvalidOperationException _) {
                settings.refuse("args", "must be JSON: an object of one object for each script");
            }
            return settings.file("directory")
                    .map(root -> new Setup(root.toAbsolutePath().normalize(), limits, args));
        }
    }

    @Override
    public String name() {
        return "scripts";
    }

    @Override
    public void check(Settings settings) {
        Setup.of(settings);
    }

    @Override
    public void install(Installation to) throws Exception {
        var found = Setup.of(to.settings());
        if (found.isEmpty()) {
            LOG.info("there are no scripts: scripts/directory names no folder");
            return;
        }
        var setup = found.get();
        try {
            redeploy(setup, to, true);
        } catch (Exception e) {
            close();
            throw e;
        }
        deployed.forEach((file, script) -> {
            if (!script.isInterceptor()) {
                var options = script.options();
                var at = new ServicePath(options.uri(), options.isExact(), !options.isSecured());
                to.serve(new ScriptService(options.name(), () -> served(file, options)), at);
            }
        });
        to.operations(
                Selector.data().when(_ -> deployed.values().stream().anyMatch(Script::isInterceptor)),
                (request, target) -> ScriptInterceptors.judge(
                        deployed.values().stream().filter(Script::isInterceptor).toList(), request, target));
        to.background("redeployment", PAUSE, () -> redeploy(setup, to, false));
    }

    /// The script of a file; empty if what it is now would be at another path, or for other callers.
    private Optional<Script> served(Path file, Script.Options bound) {
        return Optional.ofNullable(deployed.get(file))
                .filter(script -> script.options().isAt(bound));
    }

    /// Deploys scripts that are new or have changed, and ends those that have gone. One that cannot be used
    /// is left as it was; an interceptor, which may refuse something, also where its `package.json` has gone.
    private void redeploy(Setup setup, Installation to, boolean isStart) throws Exception {
        var files = files(setup.root);
        if (files.equals(seen)) {
            return;
        }
        var places = new ArrayList<Script.Place>();
        for (var manifest :
                files.keySet().stream().filter(file -> file.endsWith(MANIFEST)).toList()) {
            for (var kind : List.of("rh:services", "rh:interceptors")) {
                for (var file : named(manifest, kind)) {
                    boolean isInterceptor = kind.equals("rh:interceptors");
                    var folder = Objects.requireNonNull(manifest.getParent());
                    places.add(new Script.Place(folder, file, isInterceptor, to.mongo(), setup.args));
                }
            }
        }
        var next = new LinkedHashMap<Path, Script>();
        for (var place : places) {
            load(place, setup.limits, isStart).ifPresent(script -> next.put(place.file(), script));
        }
        deployed.forEach((file, script) -> {
            if (script.isInterceptor() && !files.containsKey(script.folder().resolve(MANIFEST))) {
                LOG.error("{} is gone: script {} goes on until the next start", MANIFEST, file);
                next.putIfAbsent(file, script);
            }
        });
        var before = deployed;
        deployed = next;
        seen = files;
        before.values().stream().filter(script -> !next.containsValue(script)).forEach(Script::retire);
    }

    /// The files below a folder, but those of libraries and in hidden folders, with what changes when they do. Links
    /// are followed: mounted configurations are some.
    private static Map<Path, Long> files(Path root) throws IOException {
        var all = new TreeMap<Path, Long>();
        if (Files.isDirectory(root)) {
            Files.walkFileTree(root, Set.of(FileVisitOption.FOLLOW_LINKS), DEPTH, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes about) {
                    var name = String.valueOf(folder.getFileName());
                    return !folder.equals(root) && (name.equals("node_modules") || name.startsWith("."))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
                    if (about.isRegularFile()) {
                        all.put(file, 31 * about.lastModifiedTime().toMillis() + about.size());
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return all;
    }

    /// The scripts that a `package.json` names.
    private static List<Path> named(Path manifest, String kind) throws IOException {
        try {
            var content = BsonDocument.parse(Files.readString(manifest));
            return content.getArray(kind, new BsonArray()).stream()
                    .map(file ->
                            manifest.resolveSibling(file.asString().getValue()).normalize())
                    .toList();
        } catch (JsonParseException | BsonInvalidOperationException e) {
            throw new IOException(manifest + " cannot be read: " + kind + " must be a list of files", e);
        }
    }

    /// @throws IllegalStateException at the start for an interceptor, which was to refuse something, perhaps
    private Optional<Script> load(Script.Place place, ScriptThreads.Limits limits, boolean isStart) throws Exception {
        var present = deployed.get(place.file());
        try {
            if (threads == null) {
                threads = new ScriptThreads(limits);
            }
            var script = new Script(threads, place);
            var options = script.options();
            if (!isStart
                    && !place.isInterceptor()
                    && (present == null || !present.options().isAt(options))) {
                LOG.warn("the path of script {} is {} after the next start", options.name(), options.uri());
            }
            LOG.info("script {} is deployed from {}", options.name(), place.file());
            return Optional.of(script);
        } catch (IOException | IllegalArgumentException e) {
            var why = "script " + place.file() + " is not deployed: " + e.getMessage();
            if (isStart && place.isInterceptor()) {
                throw new IllegalStateException(why, e);
            }
            LOG.error(why);
            return Optional.ofNullable(present);
        }
    }

    @Override
    public void close() {
        deployed.values().forEach(Script::retire);
        if (threads != null) {
            threads.close();
        }
    }
}

package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.plugin.Plugin;
import org.restheart.testkit.TestMongo;

/// A folder of plugins, which are compiled from sources, and gateways that load them.
public final class PluginFolder {
    private static final Pattern TYPE = Pattern.compile("(?:class|interface|record) (\\w+)");

    private static final String IMPORTS = """
        import java.nio.charset.StandardCharsets;
        import java.time.*;
        import java.util.*;
        import java.util.concurrent.*;
        import org.bson.*;
        import org.restheart.data.*;
        import org.restheart.http.*;
        import org.restheart.http.access.*;
        import org.restheart.http.judged.*;
        import org.restheart.plugin.*;
        import org.restheart.security.*;
        """;

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /// Knows the jars of the class path, which take longer to learn than a plugin to compile.
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private static final List<Path> CLASS_PATH = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .toList();

    /// What projects were compiled to, by their folders.
    private static final Map<List<Path>, byte[]> PROJECTS = new ConcurrentHashMap<>();

    private final Path folder;
    private final List<Path> libraries = new ArrayList<>();

    public PluginFolder(Path folder) {
        this.folder = folder;
    }

    public Path path() {
        return folder;
    }

    /// What the sources of further jars may refer to.
    PluginFolder with(Path library) {
        libraries.add(library);
        return this;
    }

    /// A jar with a plugin of this name, whose class has these members.
    public Path plugin(String name, String members) {
        var type = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        return jar(name + ".jar", Map.of(), """
            public class %s implements Plugin {
                public String name() { return "%s"; }
                %s
            }
            """.formatted(type, name, members));
    }

    /// A jar of classes of the package `sample`, which need not say that, of which those that implement [Plugin] are
    /// named as such.
    ///
    /// @param file relative to the folder
    Path jar(String file, Map<String, String> manifest, String... sources) {
        try {
            var classes = Files.createTempDirectory(folder.toAbsolutePath().getParent(), "classes");
            var units = new ArrayList<JavaFileObject>();
            var plugins = new ArrayList<String>();
            for (var source : sources) {
                var type = TYPE.matcher(source);
                assertThat(type.find()).isTrue();
                boolean isWhole = source.startsWith("package ");
                units.add(new SourceText(type.group(1), isWhole ? source : "package sample;\n" + IMPORTS + source));
                if (source.contains("implements Plugin")) {
                    plugins.add("sample." + type.group(1));
                }
            }
            compile(classes, units);
            if (!plugins.isEmpty()) {
                var services = Files.createDirectories(classes.resolve("META-INF/services"));
                Files.write(services.resolve(Plugin.class.getName()), plugins);
            }
            return pack(classes, folder.resolve(file), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A jar of a project, which is compiled once.
    ///
    /// @param file relative to the folder
    public Path project(String file, Path java, Path resources) {
        try {
            var jar = folder.resolve(file);
            Files.createDirectories(jar.getParent());
            var content = PROJECTS.get(List.of(java, resources));
            if (content == null) {
                PROJECTS.put(List.of(java, resources), Files.readAllBytes(compiled(jar, java, resources)));
            } else {
                Files.write(jar, content);
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path compiled(Path jar, Path java, Path resources) throws IOException {
        try (var sources = Files.walk(java);
                var others = Files.walk(resources)) {
            var classes = Files.createTempDirectory(folder.toAbsolutePath().getParent(), "classes");
            compile(
                    classes,
                    FILES.getJavaFileObjectsFromPaths(
                            sources.filter(Files::isRegularFile).toList()));
            for (var resource : others.filter(Files::isRegularFile).toList()) {
                var copy = classes.resolve(resources.relativize(resource));
                Files.createDirectories(copy.getParent());
                Files.copy(resource, copy);
            }
            return pack(classes, jar, Map.of());
        }
    }

    private void compile(Path classes, Iterable<? extends JavaFileObject> units) throws IOException {
        var found = new DiagnosticCollector<JavaFileObject>();
        synchronized (FILES) {
            FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
            FILES.setLocationFromPaths(
                    StandardLocation.CLASS_PATH,
                    Stream.of(CLASS_PATH, libraries).flatMap(List::stream).toList());
            boolean isGood = COMPILER.getTask(null, FILES, found, List.of("-proc:none"), null, units)
                    .call();
            assertThat(isGood).as(found.getDiagnostics().toString()).isTrue();
        }
    }

    private static Path pack(Path classes, Path jar, Map<String, String> attributes) throws IOException {
        Files.createDirectories(jar.getParent());
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                var files = Files.walk(classes)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                out.write(Files.readAllBytes(file));
            }
        }
        return jar;
    }

    /// A gateway with these plugins, an account `admin` who may do everything, and `ann` with the role
    /// `user` who may do what the permissions say.
    ///
    /// @param more YAML; `{core}` is the rest of that block
    Gateway start(TestMongo mongo, String core, String permissions, String more) {
        return Gateway.start(config(mongo, core, permissions, more));
    }

    Gateway start(TestMongo mongo, String more) {
        return start(mongo, "", "", more);
    }

    GatewayConfig config(TestMongo mongo, String core, String permissions, String more) {
        return GatewayConfig.parse("""
            core: {plugins-directory: '%s', drain-timeout-ms: 2000%s}
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: '%s'}
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            mongoRealmAuthenticator: {enabled: false}
            mongoAclAuthorizer: {enabled: false}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator:
              enabled: true
              users:
              - {userid: admin, password: secret, roles: [admin]}
              - {userid: ann, password: secret, roles: [user], dept: 7}
            fileAclAuthorizer:
              enabled: true
              permissions:
              - {role: admin, predicate: path-prefix('/'), mongo: {allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}}
            %s
            %s
            """.formatted(folder, core, mongo.connectionString(), permissions.indent(2), more));
    }

    private static final class SourceText extends SimpleJavaFileObject {
        private final String text;

        SourceText(String type, String text) {
            super(URI.create("string:///sample/" + type + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}

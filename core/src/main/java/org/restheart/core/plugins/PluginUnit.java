package org.restheart.core.plugins;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import org.restheart.plugin.Plugin;
import org.restheart.text.Words;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A jar, or a folder of jars, with one class loader.
record PluginUnit(String name, List<Path> jars) {
    private static final Logger LOG = LoggerFactory.getLogger(PluginUnit.class);
    private static final String API_VERSION = "1";

    /// The folder of the jars that plugins share.
    static final String SHARED = "lib";

    /// Of jars below a folder: one level of folders, such as `lib`, is part of the unit.
    private static final int DEPTH = 2;

    /// The units in a folder by name, that of shared jars, which may have none, at the end.
    static List<PluginUnit> in(Path folder) {
        var units = new ArrayList<PluginUnit>();
        warnIfWritable(folder);
        for (var entry : entries(folder)) {
            var name = entry.getFileName().toString();
            if (Files.isDirectory(entry) && !name.equals(SHARED)) {
                var jars = jars(entry, DEPTH);
                if (!jars.isEmpty()) {
                    units.add(new PluginUnit(name, jars));
                }
            } else if (name.endsWith(".jar")) {
                units.add(new PluginUnit(name, List.of(entry)));
            }
        }
        units.add(new PluginUnit(SHARED, jars(folder.resolve(SHARED), 1)));
        return units;
    }

    /// Its files and folders by name, without those folders that are hidden: mounted configurations keep there what
    /// they have links to.
    private static List<Path> entries(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var entries = Files.list(folder)) {
            return entries.filter(entry -> !Files.isDirectory(entry)
                            || !entry.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> jars(Path folder, int depth) {
        var jars = new ArrayList<Path>();
        for (var entry : entries(folder)) {
            if (Files.isDirectory(entry) && depth > 1) {
                jars.addAll(jars(entry, depth - 1));
            } else if (entry.toString().endsWith(".jar")) {
                jars.add(entry);
            }
        }
        return jars;
    }

    private static void warnIfWritable(Path folder) {
        try {
            if (Files.isDirectory(folder)
                    && Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_WRITE)) {
                LOG.warn("Everybody on this machine may write plugins into {}", folder);
            }
        } catch (IOException | UnsupportedOperationException _) {
            LOG.debug("{} has no permissions that can be read", folder);
        }
    }

    /// The plugins that its jars name.
    ///
    /// @throws IOException for a jar that cannot be read
    /// @throws java.util.ServiceConfigurationError for a class that cannot be loaded
    List<Plugin> load(PluginLoader loader, List<String> packages) throws IOException {
        for (var jar : jars) {
            try (var file = new JarFile(jar.toFile())) {
                var manifest = file.getManifest();
                var version =
                        manifest == null ? null : manifest.getMainAttributes().getValue("RESTHeart-Plugin-API");
                if (version != null && !version.equals(API_VERSION)) {
                    throw new IOException("it was made for version " + version
                            + " of the API; this gateway has version " + API_VERSION);
                }
            }
        }
        var found = ServiceLoader.load(Plugin.class, loader).stream().toList();
        if (found.isEmpty()) {
            LOG.warn(
                    "{} has no plugin: none of its jars has META-INF/services/{}. A library that plugins share belongs"
                            + " into {}",
                    name,
                    Plugin.class.getName(),
                    SHARED);
        }
        return found.stream()
                .filter(plugin -> packages.isEmpty()
                        || packages.stream()
                                .anyMatch(below -> (plugin.type().getPackageName() + ".").startsWith(below + ".")))
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /// The class loader of one plugin: what plugins compile against is always the server's; all else is in its
    /// own jars or in those that plugins share. It sees nothing else of the server, so that plugins have what
    /// versions of libraries they like. Thread-safe.
    static final class PluginLoader extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        /// With the packages below.
        private static final List<String> API = Words.list("""
            org.restheart.plugin. org.restheart.http. org.restheart.bson. org.restheart.data.
            org.bson. com.mongodb. org.slf4j. org.jspecify.\
            """);

        /// Without the packages below.
        private static final String SECURITY = "org.restheart.security.";

        private static final String PLUGINS = "META-INF/services/" + Plugin.class.getName();

        private static final ClassLoader SERVER = Objects.requireNonNull(PluginLoader.class.getClassLoader());

        private final @Nullable PluginLoader shared;

        /// @param shared of the jars that plugins share; null for that itself
        PluginLoader(String name, List<Path> jars, @Nullable PluginLoader shared) {
            super(name, jars.stream().map(PluginLoader::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
            this.shared = shared;
        }

        private static URL url(Path jar) {
            try {
                return jar.toUri().toURL();
            } catch (MalformedURLException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (isApi(name)) {
                try {
                    return SERVER.loadClass(name);
                } catch (ClassNotFoundException _) {
                    // of another library with packages below these, such as a bridge of SLF4J's
                }
            }
            synchronized (getClassLoadingLock(name)) {
                try {
                    return super.loadClass(name, resolve);
                } catch (ClassNotFoundException e) {
                    if (shared == null) {
                        throw e;
                    }
                }
            }
            return shared.loadClass(name);
        }

        private static boolean isApi(String name) {
            return API.stream().anyMatch(name::startsWith)
                    || (name.startsWith(SECURITY) && name.indexOf('.', SECURITY.length()) < 0);
        }

        @Override
        public @Nullable URL findResource(String name) {
            var own = super.findResource(name);
            return own == null && shared != null ? shared.findResource(name) : own;
        }

        /// With those of shared jars, whose services (such as drivers) are found, but for plugins.
        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            var all = Collections.list(super.findResources(name));
            if (shared != null && !name.equals(PLUGINS)) {
                all.addAll(Collections.list(shared.findResources(name)));
            }
            return Collections.enumeration(all);
        }

        @Override
        public void close() {
            try {
                super.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

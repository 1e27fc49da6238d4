package org.restheart.core.plugins;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.restheart.plugin.Plugin;
import org.restheart.text.Words;

/// The class loader of one plugin: what plugins compile against is always the server's; all else is in its
/// own jars or in those that plugins share. It sees nothing else of the server, so that plugins have what
/// versions of libraries they like. Thread-safe.
final class PluginLoader extends URLClassLoader {
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
            return SERVER.loadClass(name);
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

package org.restheart.core.config;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.rest.importing.ImportConfig;

final class ServiceBindings {
    /// The jars of modules by their blocks.
    private static final Map<String, String> JARS = new TreeMap<>(Map.of(
            "access", "restheart-openapi",
            "console", "restheart-console",
            "dataApi", "restheart-dataapi",
            "graphiql", "restheart-console",
            "graphql", "restheart-graphql",
            "mcp", "restheart-mcp",
            "openApi", "restheart-openapi"));

    private static final Map<String, ServiceModule> MODULES =
            ServiceLoader.load(ServiceModule.class, ServiceModule.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .collect(Collectors.toMap(ServiceModule::block, Function.identity()));

    private ServiceBindings() {}

    /// The services of [ServiceModule]s that are on, by their blocks. One that is on by default is off without its
    /// jar; one that is asked for is refused.
    static Map<String, Configured> modules(Block root, boolean loopback) {
        var read = new TreeMap<String, Configured>();
        JARS.forEach((name, jar) -> {
            var block = root.block(name);
            var module = MODULES.get(name);
            boolean isOn =
                    name.equals("console") ? block.bool("enabled", loopback && module != null) : block.bool("enabled");
            if (isOn && module != null) {
                read.put(name, module.read(root));
            } else if (isOn && block.isChosen("enabled")) {
                block.refuse("enabled", "is true, but the class path has no " + jar + ".jar");
            } else if (isOn) {
                block.advise("enabled", "has no effect: the class path has no " + jar + ".jar");
            }
        });
        return Collections.unmodifiableMap(read);
    }

    static Optional<String> missingJar(String block) {
        return Optional.ofNullable(JARS.get(block))
                .filter(_ -> !MODULES.containsKey(block))
                .map(jar -> jar + ".jar");
    }

    static ImportConfig imports(Block block) {
        return new ImportConfig(
                block.uri("uri"),
                block.text("db"),
                block.integer("max-per-account"),
                block.longInteger("max-bytes-per-account"),
                block.longInteger("max-bytes"));
    }
}

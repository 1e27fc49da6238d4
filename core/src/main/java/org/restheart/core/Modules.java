package org.restheart.core;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.metrics.Metrics.Part;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.service.BuildInfo;
import org.restheart.http.Service;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.CookieSessions;
import org.restheart.http.module.ServicePages;

/// Installs the services of [ServiceModule]s. Confined to the thread that starts the server.
final class Modules {
    private static final Map<String, Part> METERS =
            Map.of("dataApi", Part.DATA_API, "mcp", Part.MCP, "openApi", Part.OPENAPI);

    private final GatewayConfig config;
    private final Metrics metrics;
    private final Map<Class<?>, Object> parts = new HashMap<>();
    private final List<Binding> bindings = new ArrayList<>();

    Modules(GatewayConfig config, Metrics metrics, Security security, InProcessRequests judged) {
        this.config = config;
        this.metrics = metrics;
        add(JudgedRequests.class, judged);
        add(KindPermissions.class, judged);
        add(AccessExplanation.Explaining.class, judged);
        add(CallerSecurity.class, security);
        config.security()
                .tokens()
                .rememberedSessions(config.isLocal())
                .ifPresent(sessions -> add(CookieSessions.class, sessions));
        ServiceLoader.load(ServicePages.class, ServicePages.class.getClassLoader())
                .findFirst()
                .ifPresent(pages -> add(ServicePages.class, pages));
    }

    /// Adds what they find by its type.
    <T> void add(Class<T> type, T part) {
        parts.put(type, part);
    }

    /// Has them installed.
    ///
    /// @param withData those that need data, or the others
    /// @return the bindings of their services
    List<Binding> install(boolean withData) {
        bindings.clear();
        config.modules().forEach((block, module) -> {
            if (module.needsData() == withData) {
                module.install(new ModuleContext(block));
            }
        });
        return List.copyOf(bindings);
    }

    private final class ModuleContext implements ServiceModule.Context {
        private final String block;

        ModuleContext(String block) {
            this.block = block;
        }

        @Override
        public String name() {
            return config.core().name();
        }

        @Override
        public String version() {
            return BuildInfo.load().version();
        }

        @Override
        public Optional<String> uri(String other) {
            return config.uri(other);
        }

        @Override
        public <T> Optional<T> find(Class<T> type) {
            var part = type == MeterRegistry.class
                    ? metrics.of(METERS.getOrDefault(block, Part.GATEWAY))
                    : parts.get(type);
            return Optional.ofNullable(part).map(type::cast);
        }

        @Override
        public void serve(Service service, String uri, boolean secured) {
            bindings.add(Binding.prefix(service, uri, secured));
        }
    }
}

package org.restheart.core;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.restheart.core.accounts.Security;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.metrics.Metrics;
import org.restheart.core.metrics.Metrics.Part;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.service.BuildInfo;
import org.restheart.http.CacheMeter;
import org.restheart.http.Guard;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.CookieSessions;
import org.restheart.http.module.ServicePages;
import org.restheart.security.SecurityFilter;

/// Installs the services of [ServiceModule]s. Confined to the thread that starts the server.
final class Modules {
    private static final Map<String, Part> METERS =
            Map.of("dataApi", Part.DATA_API, "mcp", Part.MCP, "openApi", Part.OPENAPI);

    private final GatewayConfig config;
    private final Metrics metrics;
    private final Map<Class<?>, Object> parts = new HashMap<>();
    private final Security security;
    private final Gateway.ClosingOrder opened;
    private final List<Binding> bindings = new ArrayList<>();
    private final List<Guard> guards = new ArrayList<>();

    /// Of services that read credentials from other places.
    private final IdentityHashMap<Service, Function<Binding, SecurityFilter>> filters = new IdentityHashMap<>();

    Modules(
            GatewayConfig config,
            Metrics metrics,
            Security security,
            InProcessRequests judged,
            Gateway.ClosingOrder opened) {
        this.config = config;
        this.metrics = metrics;
        this.security = security;
        this.opened = opened;
        add(JudgedRequests.class, judged);
        add(KindPermissions.class, judged);
        add(AccessExplanation.Explaining.class, judged);
        add(CallerSecurity.class, security);
        config.security()
                .tokens()
                .rememberedSessions(config.isLocal())
                .filter(_ -> security.makesBearerTokens())
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

    List<Guard> guards() {
        return guards;
    }

    SecurityFilter securityFilter(Binding binding) {
        return filters.getOrDefault(binding.service(), security::securityFilter).apply(binding);
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
        public boolean isLocal() {
            return config.isLocal();
        }

        @Override
        public Optional<String> uri(String other) {
            return config.uri(other).filter(_ -> !other.equals("authTokenService") || security.makesBearerTokens());
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

        @Override
        public void serve(Service service, String uri, UnaryOperator<Request> located) {
            serve(service, uri, false);
            filters.put(service, binding -> security.securityFilter(binding, located));
        }

        @Override
        public void guard(Guard guard) {
            guards.add(guard);
        }

        @Override
        public void watch(CacheMeter meter) {
            metrics.watch(meter);
        }

        @Override
        public void atStop(Runnable closing) {
            opened.push(closing);
        }

        @Override
        public void serveSessions(Service service, String uri) {
            serve(service, uri, false);
            filters.put(service, _ -> security.sessionFilter());
        }
    }
}

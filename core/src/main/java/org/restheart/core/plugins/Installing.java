package org.restheart.core.plugins;

import com.mongodb.client.MongoClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.restheart.core.config.PluginSettings;
import org.restheart.core.observation.RequestLog;
import org.restheart.core.plugins.PluginSteps.ListenerQueue;
import org.restheart.core.plugins.PluginSteps.PluginService;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Binding.Match;
import org.restheart.http.Filter;
import org.restheart.http.Headers;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.plugin.AccessRule;
import org.restheart.plugin.CompletionListener;
import org.restheart.plugin.DocumentTransform;
import org.restheart.plugin.Installation;
import org.restheart.plugin.Meters;
import org.restheart.plugin.OperationInterceptor;
import org.restheart.plugin.RequestInterceptor;
import org.restheart.plugin.Selector;
import org.restheart.plugin.ServicePath;
import org.restheart.plugin.Settings;
import org.restheart.rest.MongoService;
import org.restheart.rest.service.CsvLoader;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FailedAttempts;
import org.restheart.security.TokenManager;
import org.restheart.security.Vetoer;

/// Takes the parts of one plugin. Confined to the thread that starts the server.
final class Installing implements Installation {
    private final PluginCalls calls;
    private final PluginSettings settings;
    private final Plugins.Surroundings around;

    /// Of all plugins before, by type.
    private final Map<Class<?>, Provided> provided;

    private final Set<String> after;
    private final List<Class<?>> providing = new ArrayList<>();
    private boolean isOver;

    final List<Binding> bindings = new ArrayList<>();
    final List<BackgroundTask> tasks = new ArrayList<>();

    final List<AddedStep> steps = new ArrayList<>();
    final List<Authenticator> authenticators = new ArrayList<>();
    final List<Authorizer> authorizers = new ArrayList<>();
    final List<Vetoer> vetoers = new ArrayList<>();
    final List<FailedAttempts> failedAttempts = new ArrayList<>();
    final List<TokenManager> tokens = new ArrayList<>();
    final List<ListenerQueue> queues = new ArrayList<>();
    final Map<String, BiFunction<Request, Headers, Optional<String>>> logFields = new LinkedHashMap<>();

    /// Where a step is in the chain of a route, the first one outermost.
    enum Place {
        REQUESTS,
        OPERATIONS,
        DOCUMENTS,
        AFTER
    }

    record AddedStep(Selector on, Place place, int priority, Filter filter) {
        private static final Set<Class<?>> OF_DATA = Set.of(MongoService.class, CsvLoader.class);

        /// Whether requests of a service may be among those that it is for.
        boolean isFor(Service service) {
            return (on.services().isEmpty() || on.services().contains(service.name()))
                    && !service.bypassesFilters()
                    && switch (on.kind()) {
                        case ALL -> true;
                        case DATA -> OF_DATA.contains(service.getClass());
                        case PROXIES -> service.traffic() == Traffic.PROXY;
                    };
        }
    }

    record Provided(String by, Object object) {}

    /// @param every zero for once
    record BackgroundTask(String name, Duration every, Task work) {}

    /// @param after names of the plugins whose objects it may have
    Installing(
            PluginCalls calls,
            PluginSettings settings,
            Plugins.Surroundings around,
            Map<Class<?>, Provided> provided,
            Set<String> after) {
        this.calls = calls;
        this.settings = settings;
        this.around = around;
        this.provided = provided;
        this.after = after;
    }

    /// Ends the installation: nothing is taken any more.
    void over() {
        isOver = true;
    }

    /// Whether more is allowed, or shown, without them.
    boolean restrict() {
        return !vetoers.isEmpty()
                || steps.stream().anyMatch(step -> step.place == Place.OPERATIONS || step.place == Place.DOCUMENTS);
    }

    private void requireOpen() {
        if (isOver) {
            throw new IllegalStateException("the plugin " + calls.plugin() + " has been installed already");
        }
    }

    /// What else it is: for the log.
    List<String> parts() {
        var parts = new ArrayList<String>();
        bindings.forEach(binding -> parts.add(binding.uri() + (binding.secured() ? "" : " (open)")));
        steps.forEach(step -> parts.add(step.place.name().toLowerCase(Locale.ROOT) + " of "
                + step.on.kind().name().toLowerCase(Locale.ROOT) + " (" + step.priority + ")"));
        authenticators.forEach(_ -> parts.add("authenticator"));
        authorizers.forEach(_ -> parts.add("access rule"));
        vetoers.forEach(_ -> parts.add("veto"));
        failedAttempts.forEach(_ -> parts.add("failed attempts"));
        logFields.keySet().forEach(name -> parts.add("log field " + name));
        tasks.forEach(task -> parts.add("task " + task.name));
        providing.forEach(type -> parts.add(type.getSimpleName()));
        return parts;
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public Optional<MongoClient> mongo() {
        return around.client().map(Installing::withoutClose);
    }

    private static MongoClient withoutClose(MongoClient client) {
        return (MongoClient) Proxy.newProxyInstance(
                MongoClient.class.getClassLoader(), new Class<?>[] {MongoClient.class}, (_, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Meters meters() {
        return calls.meters();
    }

    @Override
    public JudgedRequests data() {
        return around.data();
    }

    @Override
    public Lease memory() {
        return around.memory().open(() -> "plugin " + calls.plugin());
    }

    @Override
    public void serve(Service service, ServicePath at) {
        requireOpen();
        boolean isFirst = bindings.isEmpty();
        var uri = isFirst ? settings.text("uri", at.uri()) : at.uri();
        if (!uri.startsWith("/")) {
            settings.refuse("uri", "must start with /");
            return;
        }
        bindings.add(new Binding(
                new PluginService(calls, service, settings.text("replaces", "")),
                uri,
                at.isExact() ? Match.EXACT : Match.PREFIX,
                isFirst ? settings.isSecured(!at.isOpen()) : !at.isOpen(),
                List.of()));
    }

    @Override
    public void requests(Selector on, RequestInterceptor interceptor) {
        add(on, Place.REQUESTS, PluginSteps.around(calls, on.condition(), interceptor));
    }

    @Override
    public void operations(Selector on, OperationInterceptor interceptor) {
        requireData(on);
        add(on, Place.OPERATIONS, PluginSteps.judging(calls, on.condition(), interceptor));
    }

    @Override
    public void documents(Selector on, DocumentTransform transform) {
        requireData(on);
        add(on, Place.DOCUMENTS, PluginSteps.showing(calls, on.condition(), transform));
    }

    private static void requireData(Selector on) {
        if (on.kind() != Selector.Kind.DATA) {
            throw new IllegalArgumentException("operations and documents are selected by Selector.data()");
        }
    }

    @Override
    public void after(Selector on, CompletionListener listener) {
        var queue = new ListenerQueue(calls, listener);
        if (queues.isEmpty()) {
            calls.meters()
                    .gauge(
                            "plugin_queue",
                            () -> queues.stream().mapToInt(ListenerQueue::size).sum(),
                            "component",
                            ListenerQueue.WHAT);
        }
        queues.add(queue);
        add(on, Place.AFTER, PluginSteps.telling(calls, on.condition(), queue));
    }

    private void add(Selector on, Place place, Filter filter) {
        requireOpen();
        int priority = settings.integer("priority", on.priority(), Integer.MIN_VALUE, Integer.MAX_VALUE);
        steps.add(new AddedStep(on, place, priority, filter));
    }

    @Override
    public void authenticator(Authenticator mechanism) {
        requireOpen();
        authenticators.add(new PluginSecurity.Mechanism(calls, mechanism));
    }

    @Override
    public void allow(AccessRule rule) {
        requireOpen();
        authorizers.add(new PluginSecurity.Rule(calls, rule));
    }

    @Override
    public void veto(Vetoer vetoer) {
        requireOpen();
        vetoers.add(PluginSecurity.vetoer(calls, vetoer));
    }

    @Override
    public void failures(FailedAttempts attempts) {
        requireOpen();
        failedAttempts.add(new PluginSecurity.Attempts(calls, attempts));
    }

    @Override
    public void tokens(TokenManager manager) {
        var called = new PluginSecurity.Tokens(calls, manager);
        provide(TokenManager.class, called); // by one plugin alone
        tokens.add(called);
    }

    @Override
    public void logField(String name, BiFunction<Request, Headers, Optional<String>> value) {
        requireOpen();
        if (!Plugins.NAME.matcher(name).matches() || RequestLog.NAMES.contains(name)) {
            throw new IllegalArgumentException("a field of the log cannot have the name " + name);
        }
        var before = logFields.putIfAbsent(
                name,
                (request, answered) -> calls.call("log field", () -> value.apply(request, answered), Optional.empty()));
        if (before != null) {
            throw new IllegalStateException("the field " + name + " of the log is added twice");
        }
    }

    @Override
    public void background(String name, Duration every, Task work) {
        requireOpen();
        tasks.add(new BackgroundTask(name, every, work));
    }

    @Override
    public <T> void provide(Class<T> type, T object) {
        requireOpen();
        var other = provided.putIfAbsent(type, new Provided(calls.plugin(), object));
        if (other != null) {
            throw new IllegalStateException("the plugin " + other.by + " provides a " + type.getName() + " already");
        }
        providing.add(type);
    }

    @Override
    public <T> Optional<T> find(Class<T> type) {
        return Optional.ofNullable(provided.get(type))
                .filter(object -> after.contains(object.by))
                .map(Provided::object)
                .map(type::cast);
    }
}

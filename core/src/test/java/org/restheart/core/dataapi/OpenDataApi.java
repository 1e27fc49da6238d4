package org.restheart.core.dataapi;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.filter.PipelineSettings;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.UndertowListener;
import org.restheart.http.Filter;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.MongoErrors;
import org.restheart.mongo.MongoService;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.conformance.RunningGateway;

/// The data API behind a real listener, with nobody at the door unless a test puts somebody there.
final class OpenDataApi implements RunningGateway, AutoCloseable {
    private static final Filter NO_DOOR = (request, next) -> next.handle(request);

    private final UndertowListener listener;

    private OpenDataApi(MongoConfig config, TestMongo mongo, Filter door) {
        var pipeline = new Pipeline(
                new PipelineSettings(true, true, false, List.of()),
                new ErrorMapping(MongoErrors::toProblem),
                _ -> door);
        var binding = Binding.prefix(new MongoService(config, mongo.client(), new SimpleMeterRegistry()), "/", true);
        var settings = ServerSettings.of(GatewayConfig.parse("http-listener: {host: 127.0.0.1, port: 0}"));
        this.listener = UndertowListener.start(settings, new Router(List.of(pipeline.assemble(binding))), _ -> {});
    }

    static OpenDataApi start(MongoConfig config, TestMongo mongo) {
        return new OpenDataApi(config, mongo, NO_DOOR);
    }

    static OpenDataApi start(MongoConfig config, TestMongo mongo, Filter door) {
        return new OpenDataApi(config, mongo, door);
    }

    @Override
    public int port() {
        return listener.address().getPort();
    }

    /// Any: nobody asks.
    @Override
    public Optional<String> password(String user) {
        return Optional.of("any");
    }

    @Override
    public void close() {
        listener.stop(Duration.ofSeconds(1));
    }
}

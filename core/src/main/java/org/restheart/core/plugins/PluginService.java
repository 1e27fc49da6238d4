package org.restheart.core.plugins;

import java.util.Optional;
import org.restheart.http.Cors;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// An endpoint of a plugin. Its requests pass all filters, and begin on virtual threads.
record PluginService(PluginCalls calls, Service service, String replaces) implements Service {
    private static final String WHAT = "service's description";

    @Override
    public String name() {
        return calls.plugin();
    }

    @Override
    public Response handle(Request request) {
        return calls.call("service", () -> service.handle(request));
    }

    @Override
    public Request prepare(Request request) {
        return calls.call(WHAT, () -> service.prepare(request));
    }

    @Override
    public Cors cors(Request request) {
        return calls.call(WHAT, () -> service.cors(request), Cors.DEFAULT);
    }

    @Override
    public ErrorStyle errorStyle() {
        return calls.call(WHAT, service::errorStyle, ErrorStyle.MESSAGE);
    }

    @Override
    public Optional<Response.Ready> errorResponse(Request request, Problem problem) {
        return calls.call(WHAT, () -> service.errorResponse(request, problem), Optional.empty());
    }

    @Override
    public boolean answersHead() {
        return calls.call(WHAT, service::answersHead, false);
    }

    @Override
    public boolean streamsContent(Request request) {
        return calls.call(WHAT, () -> service.streamsContent(request), false);
    }
}

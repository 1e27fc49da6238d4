package org.restheart.core.accounts;

import java.util.List;
import org.restheart.http.Cors;
import org.restheart.http.ErrorStyle;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// A service behind filters of its own, inside everything that runs for every service.
final class GuardedService implements Service {
    private final Service service;
    private final Handler guarded;

    /// @param guards the first one outermost
    GuardedService(Service service, List<Filter> guards) {
        this.service = service;
        this.guarded = Filter.chain(guards, service);
    }

    @Override
    public String name() {
        return service.name();
    }

    @Override
    public Request prepare(Request request) {
        return service.prepare(request);
    }

    @Override
    public Cors cors(Request request) {
        return service.cors(request);
    }

    @Override
    public ErrorStyle errorStyle() {
        return service.errorStyle();
    }

    @Override
    public boolean startsOnIoThread(Request request) {
        return service.startsOnIoThread(request);
    }

    @Override
    public boolean streamsContent(Request request) {
        return service.streamsContent(request);
    }

    @Override
    public Response handle(Request request) {
        return guarded.handle(request);
    }
}

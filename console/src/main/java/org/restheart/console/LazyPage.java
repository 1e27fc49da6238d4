package org.restheart.console;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Traffic;

/// A page that is read and compressed when it is first asked for: large ones would delay each start, and take memory
/// where nobody uses them.
final class LazyPage implements IoThreadService {
    private final Supplier<PageService> load;
    private volatile @Nullable PageService page;

    LazyPage(Supplier<PageService> load) {
        this.load = load;
    }

    @Override
    public Traffic traffic() {
        return Traffic.FILES;
    }

    @Override
    public Cors cors(Request request) {
        return PageService.CORS;
    }

    @Override
    public Response handle(Request request) {
        var known = page;
        if (known == null) {
            request.requireThread();
            known = loaded();
        }
        return known.handle(request);
    }

    private synchronized PageService loaded() {
        var known = page;
        if (known == null) {
            known = load.get();
            page = known;
        }
        return known;
    }
}

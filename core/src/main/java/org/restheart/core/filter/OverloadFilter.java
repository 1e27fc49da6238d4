package org.restheart.core.filter;

import java.util.concurrent.atomic.AtomicBoolean;
import org.restheart.http.ContentWait;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.security.ClientAddress;

/// Refuses requests with 503 under overload ([AdmissionControl]), instead of letting them wait. A caller is an
/// account, or the address of a client without one. A request that waits for content from its client is not in
/// progress meanwhile: else slow clients would count as overload. One instance for all services, since
/// they share MongoDB.
final class OverloadFilter implements Filter {
    private final AdmissionControl admission = new AdmissionControl(System::nanoTime);
    private final ClientAddress clients;

    /// @param clients determines the caller of a request
    OverloadFilter(ClientAddress clients) {
        this.clients = clients;
    }

    @Override
    public Response filter(Request request, Handler next) {
        var caller = CallerScope.isBound() ? CallerScope.current() : clients.caller(request);
        if (!admission.enter(caller)) {
            throw Problem.overloaded("too many requests at the moment").raise();
        }
        boolean deferred = false;
        var waited = new AtomicBoolean();
        long entered = System.nanoTime();
        try {
            var response = ContentWait.observed(
                    () -> {
                        waited.set(true);
                        admission.leaveUndone(caller);
                    },
                    () -> admission.resume(caller),
                    () -> next.handle(request));
            if (response instanceof Response.Deferred<?> later) {
                deferred = true;
                later.whenThere(_ -> {
                    if (waited.get() || later.hasThread()) { // also for others than MongoDB
                        admission.leave(caller);
                    } else {
                        admission.leave(caller, System.nanoTime() - entered);
                    }
                });
            }
            return response;
        } finally {
            if (!deferred) {
                admission.leave(caller);
            }
        }
    }
}

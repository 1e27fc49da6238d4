package org.restheart.http;

import java.util.List;
import org.restheart.http.access.DataTarget;

/// Protects some data, such as accounts, from whoever the rules let in. What it does is a switch over operations,
/// without a default. Thread-safe.
public interface Guard {
    /// Whether it looks at requests for a target. Called for each request.
    boolean concerns(Request request, DataTarget target);

    /// As [Filter#filter], for requests that it concerns.
    Response guard(Request request, DataTarget target, Handler next);

    /// One filter of all guards, the first one outermost. Requests that concern none pass at once.
    static Filter all(List<Guard> guards) {
        return (request, next) -> {
            var target = request.attribute(DataTarget.KEY);
            return target.isEmpty() ? next.handle(request) : from(0, guards, request, target.get(), next);
        };
    }

    private static Response from(int first, List<Guard> guards, Request request, DataTarget target, Handler next) {
        for (int i = first; i < guards.size(); i++) {
            if (guards.get(i).concerns(request, target)) {
                int behind = i + 1;
                return guards.get(i).guard(request, target, passed -> from(behind, guards, passed, target, next));
            }
        }
        return next.handle(request);
    }
}

package org.restheart.http.judged;

import java.util.stream.Stream;
import org.restheart.http.Request;
import org.restheart.http.judged.Permitted.Decision;

/// Determines in advance what a caller is allowed: evaluates access rules for all requests of a kind. Thread-safe.
@FunctionalInterface
public interface KindPermissions {
    /// Other properties of requests of the kind (account, addresses, TLS, time) are those of the asking request.
    ///
    /// @param asking after authentication; calls [Request#requireThread()] before rules have to be read
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    Permitted ask(Request asking, RequestKind kind);

    /// Whether rules may allow the caller some request of one of the kinds. Kinds with unknown names cover all
    /// that have any name: whether a caller may do anything at all costs the same whatever there is.
    default boolean mayAllow(Request asking, Stream<RequestKind> kinds) {
        return kinds.anyMatch(kind -> ask(asking, kind).decision() != Decision.NEVER);
    }

    /// Whether such requests reach the data, whatever the caller may do: the path of another service covers a
    /// collection of its name.
    default boolean reachesData(RequestKind kind) {
        return true;
    }
}

package org.restheart.http;

import java.util.Locale;
import java.util.Optional;
import org.restheart.http.attribute.Key;

/// Handles all requests below one path of the server. Thread-safe. The path, and whether requests are authenticated
/// and authorized, belong to its binding.
public interface Service extends Handler {
    default String name() {
        var type = getClass().getSimpleName().replaceFirst("Service$", "");
        return Character.toLowerCase(type.charAt(0)) + type.substring(1);
    }

    /// Adds attributes before authentication, on which access rules may depend: the data API resolves the
    /// path here. Must not block.
    ///
    /// @throws ProblemException for a request that is refused; anonymous clients see it, so it must not disclose
    ///     anything but properties of the request
    default Request prepare(Request request) {
        return request;
    }

    /// The CORS headers of responses.
    ///
    /// @param request prepared, unless its preparation failed
    default Cors cors(Request request) {
        return Cors.DEFAULT;
    }

    default ErrorStyle errorStyle() {
        return ErrorStyle.MESSAGE;
    }

    /// The response to a problem of a request to this service, also to one that a step in front of the service
    /// raises, such as a limit. Empty to write it as [#errorStyle] says.
    ///
    /// @return without the problem's headers, which are added
    default Optional<Response.Ready> errorResponse(Request request, Problem problem) {
        return Optional.empty();
    }

    /// Whether a request begins on the I/O thread that received it; see [Request#requireThread()].
    ///
    /// @param request not prepared yet; its content is complete
    default boolean startsOnIoThread(Request request) {
        return false;
    }

    /// Whether the service handles `HEAD` itself. For others, `HEAD` is passed on as `GET` and the content is
    /// not sent.
    default boolean answersHead() {
        return false;
    }

    /// Whether requests skip authentication, CORS, the headers of all responses, and compression, as those
    /// for public files do. They are logged and counted.
    default boolean bypassesFilters() {
        return false;
    }

    /// Whether balancers and monitors ask the service for the state of the process: it needs next to nothing, and
    /// answers under overload, too.
    default boolean isProbe() {
        return traffic() == Traffic.PROBE;
    }

    /// The kind of the service's requests for metrics.
    default Traffic traffic() {
        return Traffic.API;
    }

    /// Whether other services may send requests to it inside the process
    /// ([org.restheart.http.judged.JudgedRequests]). False for a service that makes such requests itself.
    default boolean answersJudgedRequests() {
        return false;
    }

    /// Whether the service reads the content of a request while it arrives, by [Body#stream()], so that it
    /// may be larger than memory.
    ///
    /// @param request not prepared yet, and without its content
    default boolean streamsContent(Request request) {
        return false;
    }

    /// How a service writes a [Problem] that a client sees.
    enum ErrorStyle {
        /// The data API: `{"http status code": 404, "http status description": "Not Found", "message": "…"}`.
        STATUS,
        /// Other services: `{"msg": "…"}`.
        MESSAGE,
        /// GraphQL: `{"errors": [{"message": "…", "locations": [], "extensions": {"classification":
        /// "ExecutionAborted"}}]}`.
        GRAPHQL
    }

    /// The kind of a service's requests for metrics: requests of the API are measured by path, others together.
    enum Traffic {
        /// Requests of data, and all others that are not named below.
        API,
        FILES,
        /// Requests that are forwarded to another server.
        PROXY,
        /// Questions of balancers and monitors about the state of the process.
        PROBE,
        /// Connections on which the server pushes, and subscriptions on them: their duration is the client's choice.
        STREAM;

        /// The attribute of requests; absent for [#API].
        public static final Key<Traffic> KEY = Key.named("traffic");

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}

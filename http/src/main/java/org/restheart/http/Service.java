package org.restheart.http;

/// Handles all requests below one path of the server. Thread-safe. The router decides the path and whether
/// authentication applies.
public interface Service extends Handler {
    /// The name of its block in the configuration.
    String name();

    /// Adds what is known of the request before authentication: the data API resolves the path here. Never
    /// blocks.
    ///
    /// @throws ProblemException sent without authentication, so it must disclose no more than the path
    default Request prepare(Request request) {
        return request;
    }

    /// For the prepared request, or for one whose preparation failed.
    default Cors cors(Request request) {
        return Cors.DEFAULT;
    }

    default ErrorStyle errorStyle() {
        return ErrorStyle.MESSAGE;
    }

    /// Whether a request is first tried on the I/O thread that received it; see [Request#requireThread()].
    ///
    /// @param request complete, but not prepared
    default boolean startsOnIoThread(Request request) {
        return false;
    }

    /// Whether the service itself answers `HEAD`; for others it is a `GET` whose content is not sent.
    default boolean answersHead() {
        return false;
    }

    /// Whether requests take part in nothing but the request log: no authentication, no CORS, no standing
    /// headers, no compression. So it is for files that are public.
    default boolean isPlain() {
        return false;
    }

    /// Whether the content of requests is left to what its responses say ([Content.Forwarded]), unread and
    /// unbounded by this server's memory. Only for a service that never reads it.
    default boolean forwardsContent() {
        return false;
    }

    /// How its requests are measured.
    default Traffic traffic() {
        return Traffic.API;
    }

    /// Whether requests made inside the process are answered ([JudgedRequests]); a service that makes such
    /// requests itself does not.
    default boolean answersJudgedRequests() {
        return false;
    }

    /// Whether the content of a request is read while it arrives, by the service itself, so that it may be
    /// larger than memory; see [Body#stream()].
    ///
    /// @param request without its content, not prepared
    default boolean streamsContent(Request request) {
        return false;
    }
}

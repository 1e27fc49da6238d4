package org.restheart.http;

/// Answers everything below one path of the server. Thread-safe. Where it is bound and whether authentication applies
/// is the router's business.
public interface Service extends Handler {
    /// The name of its block in the configuration.
    String name();

    /// What can be said of the request before authentication, added to it: the data API resolves the path
    /// here. Waits for nothing.
    ///
    /// @throws ProblemException sent as it is, without authentication; say only what the path alone shows
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

    /// Whether a request is worth a try on the I/O thread that received it; see [Request#requireThread()].
    ///
    /// @param request complete, but not prepared
    default boolean startsOnIoThread(Request request) {
        return false;
    }

    /// Whether requests made inside the process are answered ([JudgedRequests]); a service that makes such requests
    /// itself does not.
    default boolean answersJudgedRequests() {
        return false;
    }

    /// Whether the content of a request is read while it arrives, by the service itself, so that it may be larger
    /// than memory; see [Body#stream()].
    ///
    /// @param request without its content, not prepared
    default boolean streamsContent(Request request) {
        return false;
    }
}

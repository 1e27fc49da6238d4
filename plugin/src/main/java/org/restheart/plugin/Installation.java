package org.restheart.plugin;

import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.restheart.http.Headers;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.security.Authenticator;
import org.restheart.security.FailedAttempts;
import org.restheart.security.TokenManager;
import org.restheart.security.Vetoer;

/// Takes the parts of one plugin, and has what they work with. To be used in [Plugin#install] only, but for
/// what its methods return. What is added twice, or too late, is an `IllegalStateException`.
///
/// All parts are thread-safe, and may block: they run on virtual threads, unless they say otherwise. Where
/// a part throws something else than a [org.restheart.http.ProblemException], the request fails with 500,
/// and the log has the reason.
public interface Installation {
    /// The plugin's block of the configuration. It has no other.
    Settings settings();

    /// The gateway's client of MongoDB, with all its rights: what is done with it passes no access rule.
    /// Closing it has no effect. Empty without `mclient`.
    Optional<MongoClient> mongo();

    /// The plugin's own meters.
    Meters meters();

    /// Requests for data on behalf of the caller of a request, judged by the access rules like those of
    /// clients.
    JudgedRequests data();

    /// Opens memory, empty, for what is large and belongs to no request: taken before there is that, and closed when it
    /// has gone. All of one plugin is a caller beside others, which share the memory fairly.
    Lease memory();

    /// Adds an endpoint. The keys `uri` and `secured` of the plugin's block change where the first one is.
    /// Its `HEAD` is answered by its `GET` unless it says otherwise.
    void serve(Service service, ServicePath at);

    /// Adds a step around requests, before they are authenticated and authorized. Requests of other
    /// services within the gateway do not pass it.
    void requests(Selector on, RequestInterceptor interceptor);

    /// Adds a decision about operations on data, after the access rules.
    ///
    /// @param on of [Selector.Kind#DATA]
    void operations(Selector on, OperationInterceptor interceptor);

    /// Adds a change of documents on their way out, when access rules have taken from them what they hide.
    ///
    /// @param on of [Selector.Kind#DATA]
    void documents(Selector on, DocumentTransform transform);

    /// Has requests that have succeeded told to a listener.
    void after(Selector on, CompletionListener listener);

    /// Adds a mechanism, which is asked when none of the configured ones accepts the request's credentials. Where
    /// it fails the answer is 503.
    void authenticator(Authenticator mechanism);

    /// Adds a rule that is asked when no configured one allows a request.
    void allow(AccessRule rule);

    /// Adds a veto, also against the root role. One that fails refuses. Asked again later for responses that
    /// stay open, so it has no effects.
    void veto(Vetoer vetoer);

    /// Adds an observer of failed log-ins, which may lock out their source.
    void failures(FailedAttempts attempts);

    /// Has one make and verify the tokens of `/token`, in place of the gateway's own. They are accepted in place of the
    /// password; where they cannot be verified the answer is 503. At most one plugin may.
    void tokens(TokenManager manager);

    /// Adds a field to the lines of the log of requests.
    ///
    /// @param name a letter, then letters, digits, `-` and `_`; none of the gateway's own
    /// @param value of a request as it came, and of the headers of its response, in which interceptors say what
    ///     they know. In quotes in lines of text. Must not block
    void logField(String name, BiFunction<Request, Headers, Optional<String>> value);

    /// Repeats a task on a virtual thread, never twice at a time. A failure ends that run only. It is
    /// interrupted at the stop.
    ///
    /// @param every the time between two runs; zero to run it once
    void background(String name, Duration every, Task task);

    /// Offers an object to plugins that name this one in [Plugin#after].
    <T> void provide(Class<T> type, T object);

    /// The object that another plugin provides.
    <T> Optional<T> find(Class<T> type);

    /// Work in the background.
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }
}

package org.restheart.http.module;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.restheart.http.CacheMeter;
import org.restheart.http.Guard;
import org.restheart.http.Request;
import org.restheart.http.Service;

/// Services in a jar that a distribution may leave out, which a line in `META-INF/services` of the jar names. The
/// server reads its block of the configuration, if that is on, and later has it installed.
public interface ServiceModule {
    /// The name of its block.
    String block();

    /// Reads its block, and records what cannot be used.
    ///
    /// @param root the whole configuration
    Configured read(ConfigBlock root);

    /// As configured.
    interface Configured {
        /// The path of its service.
        String uri();

        /// Whether it is there only if the data are served.
        default boolean needsData() {
            return true;
        }

        /// Adds its services. Called once, before connections are accepted.
        void install(Context context);
    }

    /// What it works with, and adds to. To be used in [Configured#install] only, but for what its methods return.
    interface Context {
        /// Of this instance.
        String name();

        /// Of the gateway.
        String version();

        /// Whether this machine alone can reach the server.
        boolean isLocal();

        /// The path of another service by the name of its block; empty if it is off.
        Optional<String> uri(String block);

        /// The paths of those that are on, by the names of their blocks.
        default Map<String, String> uris(String... blocks) {
            var uris = new HashMap<String, String>();
            for (var block : blocks) {
                uri(block).ifPresent(uri -> uris.put(block, uri));
            }
            return Map.copyOf(uris);
        }

        /// A part of the gateway by its type; empty if there is none.
        <T> Optional<T> find(Class<T> type);

        /// A part that is always there.
        default <T> T get(Class<T> type) {
            return find(type).orElseThrow();
        }

        /// Adds a service.
        ///
        /// @param secured whether access rules apply to its path; else what it does is authorized as
        ///     requests of the REST API, and what it tells callers is their own permissions
        void serve(Service service, String uri, boolean secured);

        /// Adds one that is not secured and takes no credentials of the cookie, which a browser would send for pages
        /// of any site.
        ///
        /// @param located moves credentials to the headers that mechanisms read
        void serve(Service service, String uri, UnaryOperator<Request> located);

        /// Adds a guard of data, inside of all others.
        void guard(Guard guard);

        /// Shows what a cache does.
        void watch(CacheMeter meter);

        /// Adds what is done at the stop, when no request is in progress any more.
        void atStop(Runnable closing);

        /// Adds the one that renews sessions: it takes refresh tokens and nothing else.
        void serveSessions(Service service, String uri);
    }

    /// Sessions that outlast a reload of a page.
    ///
    /// @param logout where they end
    /// @param lifetime without use
    record CookieSessions(String logout, Duration lifetime) {}
}

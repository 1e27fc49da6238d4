package org.restheart.core.routing;

import java.util.List;
import org.restheart.core.config.Endpoint;
import org.restheart.http.Filter;
import org.restheart.http.RequestPath;
import org.restheart.http.Service;

/// A service and the path to which it is bound.
///
/// @param uri begins with `/`; percent-encoding and trailing slashes mean what they mean in a request
/// @param match whether paths below the URI belong to the service as well
/// @param secured whether callers are authenticated and authorized before the service sees them
/// @param innerFilters filters between the security filter and the service, the first one outermost
public record Binding(Service service, String uri, Match match, boolean secured, List<Filter> innerFilters) {
    public Binding {
        innerFilters = List.copyOf(innerFilters);
    }

    public enum Match {
        /// The URI and everything below it, by whole segments: `/a` matches `/a/b` but not `/ab`.
        PREFIX,
        /// The URI alone.
        EXACT
    }

    /// A service at the endpoint of its configuration block.
    public static Binding of(Service service, Endpoint endpoint) {
        return prefix(service, endpoint.uri(), endpoint.secured());
    }

    public static Binding prefix(Service service, String uri, boolean secured) {
        return new Binding(service, uri, Match.PREFIX, secured, List.of());
    }

    public Binding behind(List<Filter> innerFilters) {
        return new Binding(service, uri, match, secured, innerFilters);
    }

    List<String> segments() {
        return RequestPath.parse(uri).segments();
    }
}

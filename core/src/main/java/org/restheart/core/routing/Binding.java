package org.restheart.core.routing;

import java.util.List;
import org.restheart.core.config.Endpoint;
import org.restheart.http.Filter;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Service;

/// A service and the path to which it is bound.
///
/// @param uri begins with `/`; percent-encoding and trailing slashes mean what they mean in a request
/// @param match whether paths below the URI belong to the service as well
/// @param secured whether callers are authenticated and authorized before the service sees them
/// @param innerFilters filters between the security filter and the service, the first one outermost
/// @param outerFilters those in front of the security filter
public record Binding(
        Service service,
        String uri,
        Match match,
        boolean secured,
        List<Filter> innerFilters,
        List<Filter> outerFilters) {
    public Binding {
        innerFilters = List.copyOf(innerFilters);
        outerFilters = List.copyOf(outerFilters);
    }

    public Binding(Service service, String uri, Match match, boolean secured, List<Filter> innerFilters) {
        this(service, uri, match, secured, innerFilters, List.of());
    }

    public enum Match {
        /// The URI and everything below it, by whole segments: `/a` matches `/a/b` but not `/ab`.
        PREFIX,
        EXACT
    }

    public static Binding of(Service service, Endpoint endpoint) {
        return prefix(service, endpoint.uri(), endpoint.secured());
    }

    public static Binding prefix(Service service, String uri, boolean secured) {
        return new Binding(service, uri, Match.PREFIX, secured, List.of());
    }

    public Binding behind(List<Filter> innerFilters) {
        return new Binding(service, uri, match, secured, innerFilters, outerFilters);
    }

    /// @param outerFilters requests that these change are prepared again
    public Binding inFront(List<Filter> outerFilters) {
        return new Binding(service, uri, match, secured, innerFilters, outerFilters);
    }

    /// Whether requests for the other one's path would come here.
    public boolean isRival(Binding other) {
        return match == other.match && segments().equals(other.segments());
    }

    /// The request, whose path a filter may have changed.
    public Request requireOwn(Request request) {
        var path = request.path().segments();
        var own = segments();
        if (path.size() < own.size() || !path.subList(0, own.size()).equals(own)) {
            throw new IllegalStateException("a plugin has changed the path to one that is not below " + uri);
        }
        return request;
    }

    List<String> segments() {
        return RequestPath.parse(uri).segments();
    }
}

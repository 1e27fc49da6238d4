package org.restheart.core.routing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.routing.Binding.Match;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds the route with the longest matching path, by whole segments. Immutable.
///
/// A tree by segment: a look-up costs one step per segment of the path that some route shares, however many routes
/// there are. It uses the same decoded segments as security and services, so all of them interpret a path in the same
/// way.
public final class Router {
    private static final Logger LOG = LoggerFactory.getLogger(Router.class);

    private final Node root = new Node();

    /// Of two routes with the same path the last one is used, and both are reported.
    public Router(List<Route> routes) {
        routes.forEach(this::add);
    }

    private void add(Route route) {
        var binding = route.binding();
        var node = root;
        for (var segment : binding.segments()) {
            node = node.children.computeIfAbsent(segment, _ -> new Node());
        }
        var rival = binding.match() == Match.EXACT ? node.exact : node.prefix;
        if (rival != null) {
            LOG.warn(
                    "{} and {} are both bound to {}: requests go to {}",
                    rival.binding().service().name(),
                    binding.service().name(),
                    binding.uri(),
                    binding.service().name());
        }
        if (binding.match() == Match.EXACT) {
            node.exact = route;
        } else {
            node.prefix = route;
        }
    }

    public Optional<Route> find(RequestPath path) {
        var node = root;
        var longest = root.prefix;
        for (var segment : path.segments()) {
            node = node.children.get(segment);
            if (node == null) {
                return Optional.ofNullable(longest);
            }
            if (node.prefix != null) {
                longest = node.prefix;
            }
        }
        return Optional.ofNullable(node.exact != null ? node.exact : longest);
    }

    /// Whether a service other than those of data is bound to the path, to one above it, or to one below it.
    boolean isServedElsewhere(List<String> path) {
        var node = root;
        for (var segment : path) {
            if (isElsewhere(node.prefix)) {
                return true;
            }
            node = node.children.get(segment);
            if (node == null) {
                return false;
            }
        }
        return node.hasElsewhere();
    }

    private static boolean isElsewhere(@Nullable Route route) {
        return route != null && !route.binding().service().answersJudgedRequests();
    }

    /// The segments behind a path with which the paths of other services than those of data begin.
    Set<String> otherServices(List<String> path) {
        var node = root;
        for (var segment : path) {
            node = node.children.get(segment);
            if (node == null) {
                return Set.of();
            }
        }
        var names = new HashSet<String>();
        node.children.forEach((name, child) -> {
            if (isElsewhere(child.prefix)) {
                names.add(name);
            }
        });
        return names;
    }

    private static final class Node {
        private final Map<String, Node> children = new HashMap<>();
        private @Nullable Route exact;
        private @Nullable Route prefix;

        boolean hasElsewhere() {
            return isElsewhere(exact)
                    || isElsewhere(prefix)
                    || children.values().stream().anyMatch(Node::hasElsewhere);
        }
    }

    /// A binding with its handler chains, assembled at start.
    public record Route(Binding binding, Handler chain, Handler judged) {
        public boolean startsOnIoThread(Request request) {
            return binding.service().startsOnIoThread(request);
        }

        public boolean streamsContent(Request request) {
            return binding.service().streamsContent(request);
        }
    }
}

package org.restheart.plugin;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.DataTarget;

/// Which requests a part is for. Services are chosen at the start: for others the part does not exist. The
/// rest is asked for each request of those services, on whatever thread that is, and must not block.
/// Immutable.
///
/// @param services the names of services; empty for all of the kind
/// @param condition of requests
/// @param priority of parts of one kind, the lowest is outermost; those of one priority are in the order of
///     the names of their plugins. The key `priority` of the plugin's block replaces it
public record Selector(Kind kind, Set<String> services, Predicate<Request> condition, int priority) {
    private static final int USUAL = 10;

    /// Kinds of services.
    public enum Kind {
        /// All but static files.
        ALL,
        /// The data API, also of requests that other services make there: the Data API, MCP, GraphQL for
        /// what it reads as the caller, imports, transactions.
        DATA,
        /// Proxies.
        PROXIES
    }

    public static Selector all() {
        return new Selector(Kind.ALL, Set.of(), _ -> true, USUAL);
    }

    /// @param names such as `ping`, or those of plugins
    public static Selector services(String... names) {
        return new Selector(Kind.ALL, Set.of(names), _ -> true, USUAL);
    }

    public static Selector data() {
        return new Selector(Kind.DATA, Set.of(), _ -> true, USUAL);
    }

    public static Selector proxies() {
        return new Selector(Kind.PROXIES, Set.of(), _ -> true, USUAL);
    }

    /// Of these requests those that fulfil a condition, too.
    public Selector when(Predicate<Request> also) {
        return new Selector(kind, services, condition.and(also), priority);
    }

    /// Requests with these methods; `HEAD`, which tells of what `GET` returns, wherever `GET` is one of them.
    public Selector methods(Method... methods) {
        var wanted = EnumSet.noneOf(Method.class);
        wanted.addAll(List.of(methods));
        if (wanted.contains(Method.GET)) {
            wanted.add(Method.HEAD);
        }
        return when(request -> wanted.contains(request.method()));
    }

    /// Data requests for collections, and what is in them; not those for their database, such as the one that drops
    /// it.
    ///
    /// @param names such as `shop/orders`, or `shop/*` for all of a database
    public Selector collections(String... names) {
        var wanted = Set.of(names);
        if (!wanted.stream().allMatch(name -> name.matches("[^/]+/.+"))) {
            throw new IllegalArgumentException("collections have names such as shop/orders: " + wanted);
        }
        return when(request -> request.attribute(DataTarget.KEY)
                .filter(target -> target.db().isPresent() && target.collection().isPresent())
                .filter(target -> wanted.contains(target.db().get() + "/*")
                        || wanted.contains(
                                target.db().get() + "/" + target.collection().get()))
                .isPresent());
    }

    /// Requests for paths, and what is below them.
    ///
    /// @param uris each begins with `/`
    public Selector paths(String... uris) {
        var wanted = Arrays.stream(uris)
                .map(uri -> RequestPath.parse(uri).segments())
                .toList();
        return when(request ->
                wanted.stream().anyMatch(path -> begins(request.path().segments(), path)));
    }

    private static boolean begins(List<String> path, List<String> with) {
        return path.size() >= with.size() && path.subList(0, with.size()).equals(with);
    }

    public Selector priority(int priority) {
        return new Selector(kind, services, condition, priority);
    }
}

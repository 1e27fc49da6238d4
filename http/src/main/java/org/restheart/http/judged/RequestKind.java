package org.restheart.http.judged;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.restheart.data.Operation;
import org.restheart.data.Privilege;
import org.restheart.http.Method;
import org.restheart.http.RequestPath;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Permitted.Decision;

/// All requests with a method, a path in which some segments may be unknown, and the same demands; their query, content
/// and headers are unknown. Immutable.
///
/// @param demands of each request beyond plain reads and writes
/// @param data whether they go to the data API, whose content is BSON
public record RequestKind(Method method, List<Segment> path, Set<Privilege> demands, boolean data, Via via) {
    public RequestKind {
        path = List.copyOf(path);
        demands = Set.copyOf(demands);
    }

    /// A part of a path.
    public sealed interface Segment {
        record Name(String text) implements Segment {}

        /// Any text with exceptions.
        ///
        /// @param except texts that are reserved in that place, in any case; in lower case here
        /// @param otherServices texts, in this very case, at which other services answer
        record Unknown(Set<String> except, Set<String> otherServices) implements Segment {
            public static final Unknown ANY = new Unknown(Set.of());

            public Unknown {
                except = Set.copyOf(except);
                otherServices = Set.copyOf(otherServices);
            }

            public Unknown(Set<String> except) {
                this(except, Set.of());
            }
        }

        default Decision is(String text) {
            return switch (this) {
                case Name(var name) -> name.equals(text) ? Decision.ALWAYS : Decision.NEVER;
                case Unknown(var except, var otherServices) ->
                    otherServices.contains(text) || except.contains(text.toLowerCase(Locale.ROOT))
                            ? Decision.NEVER
                            : Decision.DEPENDS;
            };
        }
    }

    public static RequestKind of(Method method, RequestPath path, Set<Privilege> demands, boolean data) {
        return new RequestKind(method, segments(path), demands, data, Via.REST);
    }

    /// The requests by which a service performs an operation on a collection, or on anything in it.
    public static RequestKind of(Operation operation, List<Segment> collection, Via via) {
        var evidence = Evidence.of(operation);
        var path = new ArrayList<>(collection);
        path.addAll(segments(RequestPath.parse(evidence.below() + "/")));
        if (evidence.isOfOne()) {
            path.add(Segment.Unknown.ANY);
        }
        return new RequestKind(evidence.method(), path, demands(evidence.kind(), evidence.method()), true, via);
    }

    public static List<Segment> segments(RequestPath path) {
        return path.segments().stream().<Segment>map(Segment.Name::new).toList();
    }

    public boolean isPathKnown() {
        return path.stream().allMatch(Segment.Name.class::isInstance);
    }

    /// Whether the path begins with these segments.
    public Decision isBelow(List<String> prefix) {
        if (prefix.size() > path.size()) {
            return Decision.NEVER;
        }
        var answer = Decision.ALWAYS;
        for (int i = 0; i < prefix.size(); i++) {
            switch (path.get(i).is(prefix.get(i))) {
                case ALWAYS -> {}
                case DEPENDS -> answer = Decision.DEPENDS;
                case NEVER -> {
                    return Decision.NEVER;
                }
            }
        }
        return answer;
    }

    /// This kind without the paths at which other services answer.
    ///
    /// @param otherServices the texts of the first unknown segment with which such paths begin
    public RequestKind without(Set<String> otherServices) {
        var segments = new ArrayList<>(path);
        for (int i = 0; i < segments.size() && !otherServices.isEmpty(); i++) {
            if (segments.get(i) instanceof Segment.Unknown unknown) {
                segments.set(i, new Segment.Unknown(unknown.except(), otherServices));
                break;
            }
        }
        return new RequestKind(method, segments, demands, data, via);
    }

    /// The segments before the first unknown one.
    public List<String> knownPath() {
        return path.stream()
                .takeWhile(Segment.Name.class::isInstance)
                .map(segment -> ((Segment.Name) segment).text())
                .toList();
    }

    /// A path of this kind, with an arbitrary text in place of unknown segments.
    public RequestPath example() {
        return RequestPath.of(path.stream()
                .map(segment -> segment instanceof Segment.Name(var text) ? text : "{}")
                .toList());
    }

    /// What a request for a resource needs of a permission beyond plain reading and writing, by its method.
    public static EnumSet<Privilege> demands(ResourceKind resource, Method method) {
        var demands = EnumSet.noneOf(Privilege.class);
        if (isManagement(resource, method)) {
            demands.add(Privilege.MANAGEMENT);
        }
        if (resource.isBulk() && method == Method.DELETE) {
            demands.add(Privilege.BULK_DELETE);
        }
        if (resource.isBulk() && method == Method.PATCH && resource != ResourceKind.BULK_FILES) {
            demands.add(Privilege.BULK_PATCH);
        }
        if (resource == ResourceKind.AGGREGATIONS && method == Method.POST) {
            demands.add(Privilege.AD_HOC_AGGREGATION);
        }
        return demands;
    }

    private static boolean isManagement(ResourceKind resource, Method method) {
        if (method == Method.OPTIONS) {
            return false;
        }
        return switch (resource) {
            case DB -> !method.isSafe();
            case COLLECTION, FILES_BUCKET -> !method.isSafe() && method != Method.POST;
            case COLLECTION_INDEXES,
                    INDEX,
                    SCHEMA_STORE,
                    SCHEMA_STORE_SIZE,
                    SCHEMA_STORE_META,
                    SCHEMA,
                    BULK_SCHEMAS,
                    DB_META,
                    COLLECTION_META,
                    COLLECTION_VALIDATOR,
                    FILES_BUCKET_META -> true;
            default -> false;
        };
    }
}

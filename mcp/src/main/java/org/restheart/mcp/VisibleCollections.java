package org.restheart.mcp;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Demand;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataFacts;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;

/// The part of the catalog that is visible to a caller: collections of which it may read something with at least one
/// of the tools, perhaps with certain parameters only. Thread-safe.
final class VisibleCollections {
    /// The most collections for which access rules are evaluated per response.
    static final int MOST = 1_000;

    /// Actions to which a permission may be limited, evaluated until one is allowed.
    private static final List<Tool> READING = List.of(
            Tool.FIND, Tool.AGGREGATE, Tool.RUN_AGGREGATION, Tool.COUNT, Tool.COLLECTION_SCHEMA, Tool.LIST_COLLECTIONS);

    private static final String INDEXES = "_indexes";
    private static final String AGGREGATIONS = "_aggrs";
    private static final String MANY = "*";

    /// An unknown segment of a path.
    private static final String ANY = "{}";

    private final DataCatalog catalog;
    private final JudgedCalls calls;
    private final KindPermissions permissions;
    private final Set<String> reserved;

    /// @param reserved namespaces that other guards than access rules protect
    VisibleCollections(DataCatalog catalog, JudgedCalls calls, KindPermissions permissions, Set<String> reserved) {
        this.catalog = catalog;
        this.calls = calls;
        this.permissions = permissions;
        this.reserved = reserved;
    }

    /// A collection that the caller may read.
    ///
    /// @param path in the REST API
    /// @param facts empty if rules allow only requests with certain parameters
    record Visible(String database, DataCatalog.Entry entry, String path, Optional<DataFacts> facts) {}

    List<String> databases(Request outer) {
        var visible = new ArrayList<String>();
        int asked = 0;
        for (var database : catalog.databases()) {
            for (var entry : catalog.collections(database)) {
                if (++asked > MOST) {
                    return visible;
                }
                if (find(outer, database, entry).isPresent()) {
                    visible.add(database);
                    break;
                }
            }
        }
        return visible;
    }

    List<Visible> collections(Request outer, String database) {
        return catalog.collections(database).stream()
                .limit(MOST)
                .flatMap(entry -> find(outer, database, entry).stream())
                .toList();
    }

    /// The visible collections of all databases.
    List<Visible> all(Request outer) {
        return catalog.databases().stream()
                .flatMap(database ->
                        catalog.collections(database).stream().flatMap(entry -> find(outer, database, entry).stream()))
                .limit(MOST)
                .toList();
    }

    private Optional<Visible> find(Request outer, String database, DataCatalog.Entry entry) {
        return calls.paths()
                .ofCollection(outer.connection(), database, entry.name())
                .flatMap(path -> find(outer, database, entry, path));
    }

    private Optional<Visible> find(Request outer, String database, DataCatalog.Entry entry, String path) {
        var facts = READING.stream()
                .flatMap(tool -> calls.facts(outer, Method.GET, path, via(tool)).stream())
                .findFirst();
        boolean isVisible = facts.isPresent()
                || (!reserved.contains(database + "." + entry.name())
                        && READING.stream().anyMatch(tool -> dependsOnRequest(outer, tool, Method.GET, path)));
        return isVisible ? Optional.of(new Visible(database, entry, path, facts)) : Optional.empty();
    }

    private static Via via(Tool tool) {
        return Via.of(Via.Service.MCP, tool.toolName());
    }

    /// Whether any collection is visible.
    boolean isAnythingVisible(Request outer) {
        int asked = 0;
        for (var database : catalog.databases()) {
            for (var entry : catalog.collections(database)) {
                if (++asked > MOST) {
                    return false;
                }
                if (find(outer, database, entry).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    /// The tools that the caller may use for at least one collection.
    ///
    /// @param offered the enabled tools
    Set<Tool> usable(Request outer, Set<Tool> offered) {
        var open = EnumSet.copyOf(offered);
        var usable = EnumSet.noneOf(Tool.class);
        open.removeIf(tool -> tool == Tool.LIST_DATABASES && usable.add(tool));
        int asked = 0;
        for (var database : catalog.databases()) {
            for (var entry : catalog.collections(database)) {
                if (open.isEmpty() || ++asked > MOST) {
                    return usable;
                }
                calls.paths()
                        .ofCollection(outer.connection(), database, entry.name())
                        .ifPresent(path -> open.removeIf(tool -> isUsable(outer, path, tool) && usable.add(tool)));
            }
        }
        return usable;
    }

    private boolean isUsable(Request outer, String path, Tool tool) {
        return switch (tool) {
            case LIST_DATABASES, LIST_COLLECTIONS, COLLECTION_SCHEMA, FIND -> may(outer, tool, Method.GET, path);
            case COUNT -> may(outer, tool, Method.GET, path, "_size");
            case COLLECTION_INDEXES -> may(outer, tool, Method.GET, path, INDEXES);
            case EXPLAIN -> may(outer, tool, Method.GET, path, INDEXES) && may(outer, tool, Method.GET, path);
            case AGGREGATE -> may(outer, tool, Method.POST, path, AGGREGATIONS);
            case RUN_AGGREGATION -> may(outer, tool, Method.GET, path, AGGREGATIONS, ANY);
            case WATCH -> may(outer, tool, Method.GET, path, "_streams", ANY);
            case INSERT_MANY -> may(outer, tool, Method.POST, path);
            case UPDATE_MANY -> may(outer, tool, Method.PATCH, path, MANY) || may(outer, tool, Method.PATCH, path, ANY);
            case DELETE_MANY ->
                may(outer, tool, Method.DELETE, path, MANY) || may(outer, tool, Method.DELETE, path, ANY);
            case UPDATE_DOCUMENT -> may(outer, tool, Method.PATCH, path, ANY);
        };
    }

    /// Whether the tool may send such a request.
    ///
    /// @param below the rest of the path
    private boolean may(Request outer, Tool tool, Method method, String path, String... below) {
        var target =
                below.length == 0 ? path : path + "/" + String.join("/", below).replace(ANY, "-");
        return calls.facts(outer, method, target, via(tool)).isPresent()
                || dependsOnRequest(outer, tool, method, path, below);
    }

    /// Whether rules allow some of the requests, depending on parameters, content or the unknown part of the path.
    private boolean dependsOnRequest(Request outer, Tool tool, Method method, String path, String... below) {
        var segments = new ArrayList<Segment>();
        RequestPath.parse(path).segments().forEach(name -> segments.add(new Segment.Name(name)));
        for (var name : below) {
            segments.add(name.equals(ANY) ? new Segment.Unknown(Set.of()) : new Segment.Name(name));
        }
        var kind = new RequestKind(method, segments, demands(method, below), true, via(tool));
        return permissions.ask(outer, kind).answer() == Answer.DEPENDS;
    }

    private static Set<Demand> demands(Method method, String... below) {
        return switch (below.length == 1 ? below[0] : "") {
            case INDEXES -> Set.of(Demand.MANAGEMENT);
            case AGGREGATIONS -> Set.of(Demand.AD_HOC_AGGREGATION);
            case MANY -> Set.of(method == Method.PATCH ? Demand.BULK_PATCH : Demand.BULK_DELETE);
            default -> Set.of();
        };
    }

    /// Whether nothing of a collection is hidden, so that numbers about the whole reveal nothing.
    static boolean isWhole(Grant grant) {
        return grant.readFilter().isEmpty();
    }
}

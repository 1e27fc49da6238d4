package org.restheart.mcp;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataFacts;
import org.restheart.http.judged.Via;

/// The part of the catalog that is visible to a caller: collections that it may read with at least one of the
/// tools. Thread-safe.
final class VisibleCollections {
    /// The most collections for which access rules are evaluated per response.
    static final int MOST = 1_000;

    /// Actions to which a permission may be limited, evaluated until one is allowed.
    private static final List<Tool> READING = List.of(
            Tool.FIND, Tool.AGGREGATE, Tool.RUN_AGGREGATION, Tool.COUNT, Tool.COLLECTION_SCHEMA, Tool.LIST_COLLECTIONS);

    private final DataCatalog catalog;
    private final JudgedCalls calls;

    VisibleCollections(DataCatalog catalog, JudgedCalls calls) {
        this.catalog = catalog;
        this.calls = calls;
    }

    /// A collection that the caller may read.
    ///
    /// @param path in the REST API
    record Visible(String database, DataCatalog.Entry entry, String path, DataFacts facts) {}

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
                .flatMap(path -> READING.stream()
                        .flatMap(tool -> calls.facts(outer, Method.GET, path, via(tool)).stream())
                        .findFirst()
                        .map(facts -> new Visible(database, entry, path, facts)));
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
            case LIST_DATABASES, LIST_COLLECTIONS, COLLECTION_SCHEMA, FIND -> may(outer, Method.GET, path, tool);
            case COUNT -> may(outer, Method.GET, path + "/_size", tool);
            case COLLECTION_INDEXES -> may(outer, Method.GET, path + "/_indexes", tool);
            case EXPLAIN -> may(outer, Method.GET, path + "/_indexes", tool) && may(outer, Method.GET, path, tool);
            case AGGREGATE -> may(outer, Method.POST, path + "/_aggrs", tool);
            case RUN_AGGREGATION -> may(outer, Method.GET, path + "/_aggrs/-", tool);
            case WATCH -> may(outer, Method.GET, path + "/_streams/-", tool);
            case INSERT_MANY -> may(outer, Method.POST, path, tool);
            case UPDATE_MANY ->
                may(outer, Method.PATCH, path + "/*", tool) || may(outer, Method.PATCH, path + "/-", tool);
            case DELETE_MANY ->
                may(outer, Method.DELETE, path + "/*", tool) || may(outer, Method.DELETE, path + "/-", tool);
            case UPDATE_DOCUMENT -> may(outer, Method.PATCH, path + "/-", tool);
        };
    }

    private boolean may(Request outer, Method method, String target, Tool tool) {
        return calls.facts(outer, method, target, via(tool)).isPresent();
    }

    /// Whether nothing of a collection is hidden, so that numbers about the whole reveal nothing.
    static boolean isWhole(Grant grant) {
        return grant.readFilter().isEmpty();
    }
}

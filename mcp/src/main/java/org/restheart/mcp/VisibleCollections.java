package org.restheart.mcp;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Write;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;

/// The part of the catalog that is visible to a caller: collections of which it may read something with at least one
/// of the tools, perhaps with certain parameters only. Thread-safe.
///
/// Access rules are first evaluated for all collections of a database at once, so that nothing is listed of databases
/// that are closed to the caller, and then for a bounded number of collections per response.
///
/// @param reserved namespaces that other guards than access rules protect
record VisibleCollections(DataCatalog catalog, JudgedCalls calls, KindPermissions permissions, Set<String> reserved) {
    /// The most databases and collections for which access rules are evaluated per response.
    static final int MOST = 1_000;

    /// Actions to which a permission may be limited, evaluated until one is allowed.
    private static final List<Tool> READING = List.of(
            Tool.FIND, Tool.AGGREGATE, Tool.RUN_AGGREGATION, Tool.COUNT, Tool.COLLECTION_SCHEMA, Tool.LIST_COLLECTIONS);

    /// In place of what is meant in a collection, which is not known.
    private static final String ANY = "-";

    /// A collection that the caller may read.
    ///
    /// @param path in the REST API
    /// @param facts empty if rules allow only requests with certain parameters
    record Visible(String database, DataCatalog.Entry entry, String path, Optional<DataFacts> facts) {}

    /// The position after which a list continues.
    ///
    /// @param collection empty for all of the database
    record ListPosition(String database, Optional<String> collection) {
        BsonDocument toBson() {
            var place = new BsonDocument("d", new BsonString(database));
            collection.ifPresent(name -> place.append("c", new BsonString(name)));
            return place;
        }

        static ListPosition of(BsonDocument place) {
            var collection = place.get("c");
            return new ListPosition(
                    place.getString("d").getValue(),
                    Optional.ofNullable(collection).map(name -> name.asString().getValue()));
        }

        /// Whether the list up to here includes all of a database.
        private boolean includes(String other) {
            int order = DataCatalog.BY_CODE_POINT.compare(other, database);
            return order < 0 || (order == 0 && collection.isEmpty());
        }

        /// Whether the list up to here includes a collection of a database of which it does not include all.
        private boolean includes(String other, String name) {
            return other.equals(database)
                    && collection
                            .filter(last -> DataCatalog.BY_CODE_POINT.compare(name, last) <= 0)
                            .isPresent();
        }
    }

    /// A part of a list. It may be empty although there is more.
    ///
    /// @param next where the rest begins; empty at the end
    record Page<T>(List<T> items, Optional<ListPosition> next) {}

    /// The databases with visible collections, by name.
    Page<String> databases(Request outer, Optional<ListPosition> after) {
        var page = walk(outer, catalog.databases(), after, MOST, true);
        return new Page<>(page.items().stream().map(Visible::database).toList(), page.next());
    }

    /// The visible collections of a database, by name.
    Page<Visible> collections(Request outer, String database, Optional<ListPosition> after) {
        return walk(outer, List.of(database), after, MOST, false);
    }

    /// The visible collections of all databases, by the name of the database and then their own.
    ///
    /// @param most of a page
    Page<Visible> all(Request outer, Optional<ListPosition> after, int most) {
        return walk(outer, catalog.databases(), after, most, false);
    }

    /// @param first whether one collection of each database is enough
    private Page<Visible> walk(
            Request outer, List<String> databases, Optional<ListPosition> after, int most, boolean first) {
        var found = new ArrayList<Visible>();
        var last = after;
        int evaluated = 0;
        for (var database : databases) {
            if (after.filter(place -> place.includes(database)).isPresent()) {
                continue;
            }
            if (++evaluated > MOST) {
                return new Page<>(found, last);
            }
            var entries = mayHave(outer, database) ? catalog.collections(database) : List.<DataCatalog.Entry>of();
            for (var entry : entries) {
                if (after.filter(place -> place.includes(database, entry.name()))
                        .isPresent()) {
                    continue;
                }
                if (++evaluated > MOST || found.size() == most) {
                    return new Page<>(found, last);
                }
                var visible = find(outer, database, entry);
                visible.ifPresent(found::add);
                if (first && visible.isPresent()) {
                    break;
                }
                last = Optional.of(new ListPosition(database, Optional.of(entry.name())));
            }
            last = Optional.of(new ListPosition(database, Optional.empty()));
        }
        return new Page<>(found, Optional.empty());
    }

    /// Whether rules may allow the caller to read collections. Costs the same whatever there is in MongoDB.
    boolean mayReadAnything(Request outer) {
        return mayRead(outer, calls.paths().collectionPaths(Optional.empty()));
    }

    /// The same for the collections of a database.
    private boolean mayHave(Request outer, String database) {
        return mayRead(outer, calls.paths().collectionPaths(Optional.of(database)));
    }

    private boolean mayRead(Request outer, List<List<Segment>> kinds) {
        return permissions.mayAllow(
                outer,
                kinds.stream()
                        .flatMap(kind -> READING.stream().map(tool -> RequestKind.of(Read.FIND, kind, tool.via()))));
    }

    private Optional<Visible> find(Request outer, String database, DataCatalog.Entry entry) {
        return calls.paths()
                .ofCollection(outer.connection(), database, entry.name())
                .flatMap(path -> find(outer, database, entry, path));
    }

    private Optional<Visible> find(Request outer, String database, DataCatalog.Entry entry, String path) {
        boolean depends = false;
        var segments = segments(path);
        for (var tool : READING) {
            var answer = ask(outer, RequestKind.of(Read.FIND, segments, tool.via()));
            if (answer != Decision.NEVER) {
                var facts = calls.facts(outer, Read.FIND, path, "", tool.via());
                if (facts.isPresent()) {
                    return Optional.of(new Visible(database, entry, path, facts));
                }
                depends |= answer == Decision.DEPENDS;
            }
        }
        return depends && !reserved.contains(database + "." + entry.name())
                ? Optional.of(new Visible(database, entry, path, Optional.empty()))
                : Optional.empty();
    }

    /// The tools that the caller may use for at least one collection.
    ///
    /// @param offered the enabled tools
    Set<Tool> usable(Request outer, Set<Tool> offered) {
        var open = EnumSet.copyOf(offered);
        var usable = EnumSet.noneOf(Tool.class);
        open.removeIf(tool -> tool == Tool.LIST_DATABASES && usable.add(tool));
        retainPossible(outer, Optional.empty(), open);
        int evaluated = 0;
        for (var database : open.isEmpty() ? List.<String>of() : catalog.databases()) {
            var here = EnumSet.copyOf(open);
            retainPossible(outer, Optional.of(database), here);
            if (++evaluated > MOST) {
                return usable;
            }
            for (var entry : here.isEmpty() ? List.<DataCatalog.Entry>of() : catalog.collections(database)) {
                if (here.isEmpty()) {
                    break;
                }
                if (++evaluated > MOST) {
                    return usable;
                }
                calls.paths()
                        .ofCollection(outer.connection(), database, entry.name())
                        .ifPresent(path -> here.removeIf(tool -> isUsable(outer, tool, path) && usable.add(tool)));
            }
            open.removeAll(usable);
            if (open.isEmpty()) {
                return usable;
            }
        }
        return usable;
    }

    /// Without the tools that rules forbid for each collection.
    private void retainPossible(Request outer, Optional<String> database, Set<Tool> tools) {
        var paths = calls.paths().collectionPaths(database);
        tools.removeIf(tool -> paths.stream()
                .noneMatch(path -> isUsable(
                        tool, operation -> ask(outer, RequestKind.of(operation, path, tool.via())) != Decision.NEVER)));
    }

    private boolean isUsable(Request outer, Tool tool, String path) {
        return isUsable(tool, operation -> may(outer, tool, operation, path));
    }

    /// @param may whether an operation is allowed
    private static boolean isUsable(Tool tool, Predicate<Operation> may) {
        return switch (tool) {
            case LIST_DATABASES, LIST_COLLECTIONS, COLLECTION_SCHEMA, FIND -> may.test(Read.FIND);
            case COUNT -> may.test(Read.COUNT);
            case COLLECTION_INDEXES -> may.test(Read.LIST);
            case EXPLAIN -> may.test(Read.LIST) && may.test(Read.FIND);
            case AGGREGATE -> may.test(Read.AGGREGATE);
            case RUN_AGGREGATION -> may.test(Read.RUN);
            case WATCH -> may.test(Read.WATCH);
            case INSERT_MANY -> may.test(Write.INSERT);
            case UPDATE_MANY -> may.test(Write.UPDATE_MANY) || may.test(Write.UPDATE);
            case DELETE_MANY -> may.test(Write.DELETE_MANY) || may.test(Write.DELETE);
            case UPDATE_DOCUMENT -> may.test(Write.UPDATE);
        };
    }

    /// Whether rules allow the operation, or allow it depending on parameters, content or what is meant in the
    /// collection.
    private boolean may(Request outer, Tool tool, Operation operation, String path) {
        var kind = RequestKind.of(operation, segments(path), tool.via());
        return switch (ask(outer, kind)) {
            case NEVER -> false;
            case DEPENDS -> true;
            case ALWAYS ->
                calls.facts(outer, operation, path, kind.isPathKnown() ? "" : ANY, tool.via())
                        .isPresent();
        };
    }

    private static List<Segment> segments(String path) {
        return RequestKind.segments(RequestPath.parse(path));
    }

    private Decision ask(Request outer, RequestKind kind) {
        return permissions.ask(outer, kind).decision();
    }

    /// Whether nothing of a collection is hidden, so that numbers about the whole reveal nothing.
    static boolean isWhole(Access grant) {
        return grant.readFilter().isEmpty();
    }
}

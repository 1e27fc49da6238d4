package org.restheart.rest.document;

import static java.util.stream.Collectors.joining;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.EmbedValue;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.format.DocumentContent.Room;
import org.restheart.rest.format.Export;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.hal.Relationship;
import org.restheart.rest.reading.RelatedReads;
import org.restheart.rest.reading.RelatedReads.Relation;

/// The related documents that are sent with those of a read, in their member `_embedded`: the parameter `embed`. Each
/// relationship is read as a `GET` of its collection by the same caller, which is judged, before anything is read,
/// as if the client had sent it; what such a request may not see is not there. Immutable.
///
/// @param level the relationships of the documents that are read
/// @param form distinguishes results of different embeddings with the same query
record Embedding(Level level, RelatedReads reads, String form) {
    private static final String MEMBER = "_embedded";
    private static final int USUAL_LIMIT = 100;

    /// Documents of an export whose related ones are read together. Those of a page are, so that it is refused before a
    /// part of it is sent.
    private static final int PART = 100;

    /// Bytes of documents of an export after which their related ones are read before more of them are.
    private static final long PART_BYTES = 4 << 20;

    /// Bytes of documents that are there before their memory is taken: as much as a request owns for nothing.
    private static final long HELD_AT_A_TIME = Lease.SMALL;

    /// How often related documents are there: as they were read, or are encoded, and in those that refer to them.
    private static final int MADE = 2;

    /// The most bytes of a page's own documents.
    private static final long MAX_PAGE_BYTES = 32 << 20;

    private static final JsonEncoder ENCODER = JsonEncoder.of(JsonMode.EXTENDED);

    /// How a request inside a transaction, or with concerns, is meant; its reads are meant so, too.
    private static final Set<DataParameter> INHERITED = Set.of(
            DataParameter.SESSION,
            DataParameter.TRANSACTION,
            DataParameter.READ_CONCERN,
            DataParameter.READ_PREFERENCE,
            DataParameter.WITHOUT_CACHE);

    /// @param keys the projection of the documents: the client's, and what relationships need
    /// @param surplus fields that only relationships need
    /// @param shown how the documents are shown, if not as they are stored
    private record Level(
            List<Node> nodes, BsonDocument keys, Set<String> surplus, Optional<UnaryOperator<BsonDocument>> shown) {
        static final Level NOTHING = new Level(List.of(), new BsonDocument(), Set.of(), Optional.empty());

        boolean isNothing() {
            return nodes.isEmpty() && surplus.isEmpty() && shown.isEmpty();
        }

        boolean isShown() {
            return shown.isPresent() || nodes.stream().anyMatch(node -> node.below.isShown());
        }
    }

    /// @param relation absent if there is no such collection
    /// @param limit the most documents for each that refers to them
    private record Node(Relationship relationship, Optional<Relation> relation, int limit, Level below) {}

    /// Blocks, unless nothing is embedded.
    ///
    /// @throws ProblemException 400, 403
    static Embedding of(
            DataRequest request, Queries queries, JudgedRequests judged, IndexCheck indexes, RelatedReads reads) {
        var wanted = EmbedValue.merged(request.parameters().values().documents(DataParameter.EMBED));
        if (wanted.isEmpty()) {
            return new Embedding(Level.NOTHING, reads, "");
        }
        request.http().requireThread();
        if (Export.wanted(request.http().headers()).filter(Export.CSV::equals).isPresent()) {
            throw new ProblemException(PARAMETER_INVALID, "embed is not available in CSV, whose rows are flat");
        }
        var level = new Planning(request, queries, judged, indexes)
                .level(request, wanted, request.parameters().find().keys(), Set.of());
        var parts = QueryKey.of(request.namespace());
        addTo(parts, level);
        return new Embedding(level, reads, " " + parts.key().text());
    }

    private static void addTo(QueryKey.Parts parts, Level level) {
        parts.add(level.nodes.size())
                .add(String.join("\n", level.surplus.stream().sorted().toList()));
        for (var node : level.nodes) {
            var relationship = node.relationship;
            parts.add(relationship.name())
                    .add(relationship.type().name() + relationship.owning())
                    .add(relationship.field().text())
                    .add(node.relation.isPresent() ? 1 : 0);
            node.relation.ifPresent(
                    relation -> parts.add(relation.query().sharedKey().text()));
            addTo(parts, node.below);
        }
    }

    boolean isNothing() {
        return level.nodes.isEmpty();
    }

    /// Whether documents of a collection are not shown as they are stored.
    boolean isShown() {
        return level.isShown();
    }

    /// A query that finds the fields that relationships need, too.
    FindQuery over(FindQuery query) {
        return isNothing() ? query : query.with(over(query.projection()));
    }

    Projection over(Projection projection) {
        return isNothing() ? projection : new Projection(projection.permitted(), level.keys);
    }

    /// Makes the plan of one request: which relationships there are, and what the caller may see of each.
    ///
    /// @param outer the client's request
    private record Planning(DataRequest outer, Queries queries, JudgedRequests judged, IndexCheck indexes) {
        /// @param read fields of the documents that are needed in any case
        Level level(DataRequest source, BsonDocument wanted, BsonDocument keys, Set<String> read) {
            var declared = Relationship.declaredBy(source);
            var nodes = new ArrayList<Node>();
            var needed = new HashSet<>(read);
            for (var name : wanted.keySet()) {
                var relationship = declared.get(name);
                if (relationship == null) {
                    throw unknown(name, source, declared);
                }
                var path = relationship.sourcePath();
                if (path.isEmpty() && !keys.isEmpty()) {
                    throw leavesOut("any field");
                }
                path.ifPresent(needed::add);
                nodes.add(node(source, relationship, wanted.getDocument(name)));
            }
            return withFields(nodes, keys, needed, FindDocuments.form(source));
        }

        private ProblemException unknown(String name, DataRequest source, Map<String, Relationship> declared) {
            var readable = declared.values().stream()
                    .filter(relationship -> JudgedRequests.unlessRefused(
                                    () -> ask(source, relationship, new BsonDocument()))
                            .isPresent())
                    .map(Relationship::name)
                    .toList();
            return new ProblemException(
                    PARAMETER_INVALID,
                    "embed: there is no relationship '" + name + "'"
                            + (readable.isEmpty() ? "" : "; there are " + String.join(", ", readable)));
        }

        private Node node(DataRequest source, Relationship relationship, BsonDocument options) {
            var target = naming(relationship, () -> ask(source, relationship, options));
            if (target.isEmpty()) {
                return new Node(relationship, Optional.empty(), 0, Level.NOTHING);
            }
            var found = target.get();
            var keys = options.getDocument("keys", new BsonDocument());
            var property = relationship.targetProperty();
            var below = level(found, options.getDocument("embed", new BsonDocument()), keys, Set.of(property));
            int limit = relationship.isToOne()
                    ? 1
                    : options.getInt32("limit", new BsonInt32(USUAL_LIMIT)).getValue();
            var rule = found.grant().readFilter();
            var filter = options.getDocument("filter", new BsonDocument());
            var all = naming(relationship, () -> Optional.of(queries.all(found)))
                    .orElseThrow(); // checks what the request may have within a rule
            var query = all.with(StagedFilter.of(rule, filter.isEmpty() ? List.of() : List.of(filter)))
                    .with(new Projection(all.projection().permitted(), below.keys))
                    .slice(0, relationship.isToOne() ? limit : limit + 1); // one more shows that there are more
            var relation = new Relation(
                    query, property, relationship.isInArrays(), found.resource().plain());
            naming(relationship, () -> {
                indexes.require(found, relation.example());
                return Optional.empty();
            });
            return new Node(relationship, Optional.of(relation), limit, below);
        }

        /// What a check results in; its refusals name the relationship. Empty if there is no such collection.
        private static <T> Optional<T> naming(Relationship relationship, Supplier<Optional<T>> check) {
            try {
                return check.get();
            } catch (ProblemException e) {
                var name = "'" + relationship.name() + "'";
                var problem = e.problem();
                if (JudgedRequests.isNotPermitted(problem)) {
                    throw new ProblemException(
                            FORBIDDEN, "embed: the caller may not read what the relationship " + name + " leads to");
                }
                if (problem.status() == 404) {
                    return Optional.empty();
                }
                throw problem.status() >= 500
                        ? e
                        : Problem.of(problem.code(), "embed " + name + ": " + problem.message())
                                .withHints(problem.hints())
                                .raise();
            }
        }

        /// The request for related documents, authorized and checked.
        private Optional<DataRequest> ask(DataRequest source, Relationship relationship, BsonDocument options) {
            var path = source.uriSpace()
                    .requestPathOf(relationship.targetDb(), relationship.targetCollection())
                    .orElseThrow(JudgedRequests.NOT_PERMITTED::raise);
            BsonDocument filter = new BsonDocument(
                    relationship.targetProperty(), new BsonDocument("$in", new BsonArray())); // as for any keys
            if (options.containsKey("filter")) {
                var wanted = options.getDocument("filter");
                if (AnyName.in(wanted, StagedFilter.ONLY_FIRST::contains)) {
                    throw new ProblemException(PARAMETER_INVALID, "$text, $near and $nearSphere are not available");
                }
                filter = StagedFilter.all(List.of(filter, wanted));
            }
            var query = new HashMap<String, String>();
            query.put(DataParameter.FILTER.wireName(), ENCODER.encodeToString(filter));
            for (var parameter : List.of(DataParameter.SORT, DataParameter.KEYS)) {
                var value = options.get(parameter.wireName());
                if (value != null) {
                    query.put(
                            parameter.wireName(),
                            value instanceof BsonString text ? text.getValue() : ENCODER.encodeToString(value));
                }
            }
            var sent = outer.http().query();
            INHERITED.forEach(
                    parameter -> parameter.first(sent).ifPresent(value -> query.put(parameter.wireName(), value)));
            var added =
                    new HashSet<>(outer.http().attribute(JudgedRequest.ADDED).orElse(Set.of()));
            if (!options.containsKey("filter")) {
                added.add(DataParameter.FILTER.wireName());
            }
            var request = JudgedRequest.of(Method.GET, path, Query.of(query), Via.of(outer.http()))
                    .with(JudgedRequest.ADDED, added);
            var found = outer.http().attribute(FoundWarnings.KEY);
            return judged.facts(
                            outer.http(), found.isPresent() ? request.with(FoundWarnings.KEY, found.get()) : request)
                    .map(DataRequest.class::cast)
                    .filter(target -> target.path().kind().holdsDocuments()); // it may name anything
        }

        /// The projection that relationships need beside the client's.
        private static Level withFields(
                List<Node> nodes, BsonDocument keys, Set<String> needed, Optional<UnaryOperator<BsonDocument>> shown) {
            if (keys.isEmpty()) {
                return new Level(nodes, keys, Set.of(), shown);
            }
            var read = keys.clone();
            var surplus = new HashSet<String>();
            boolean isIncluding = keys.entrySet().stream()
                    .anyMatch(key -> BsonValues.isOn(key.getValue())
                            && (keys.size() == 1 || !key.getKey().equals("_id")));
            needed.stream().sorted().forEach(path -> addTo(read, surplus, keys, path, isIncluding));
            if (isIncluding && read.values().stream().noneMatch(BsonValues::isOn)) {
                read.append("_id", new BsonInt32(1));
            }
            return new Level(nodes, read, surplus, shown);
        }

        /// Adds what is needed to a projection, unless it is in it. What is surplus is removed later, but for fields
        /// below one of which the client wants a part.
        private static void addTo(
                BsonDocument read, Set<String> surplus, BsonDocument keys, String path, boolean isIncluding) {
            var field = path.split("\\.", 2)[0];
            var beside = keys.entrySet().stream()
                    .filter(key -> (key.getKey() + ".").startsWith(field + "."))
                    .toList();
            var above = beside.stream()
                    .filter(key -> FieldPath.isWithin(path, key.getKey()))
                    .findFirst();
            boolean isRead = field.equals("_id") && beside.isEmpty(); // unless it is turned off
            if (above.isPresent()) {
                if (BsonValues.isOff(above.get().getValue())
                        && above.get().getKey().equals(field)) {
                    read.remove(field);
                    surplus.add(field);
                } else if (!BsonValues.isOn(above.get().getValue())) {
                    throw leavesOut("'" + path + "'");
                }
            } else if (beside.stream().anyMatch(key -> key.getKey().startsWith(path + ".") || !isSwitch(key.getValue()))
                    || (beside.isEmpty() && !isRead && !keys.values().stream().allMatch(Planning::isSwitch))) {
                throw leavesOut("'" + path + "'");
            } else if (isIncluding
                    && !isRead
                    && read.keySet().stream().noneMatch(key -> FieldPath.isWithin(path, key))) {
                read.append(beside.isEmpty() ? field : path, new BsonInt32(1));
                if (beside.isEmpty()) {
                    surplus.add(field);
                }
            }
        }

        private static boolean isSwitch(BsonValue value) {
            return BsonValues.isOn(value) || BsonValues.isOff(value);
        }

        private static ProblemException leavesOut(String field) {
            return new ProblemException(
                    PARAMETER_INVALID,
                    "embed: keys leaves out " + field + ", by which documents are related; those that are embedded"
                            + " have their own: embed={\"name\":{\"keys\":{\"field\":1}}}");
        }
    }

    /// For one result, which has the time limit of its query as a whole.
    ///
    /// @param lease owns the related documents until they are sent
    Run run(FindQuery query, Lease lease) {
        return new Run(lease, query.limit() > 0, query.settings().timeLimit().toNanos());
    }

    /// Embeds documents in those of one result. Confined to it.
    final class Run {
        private final Lease lease;
        private final boolean isPage;
        private final long timeLimit;
        private final long began = System.nanoTime();
        private long documents;
        private long bytes;
        private long held;
        private boolean replaces;

        /// What has had more documents than its limit.
        private final Set<String> cutOff = new TreeSet<>();

        /// Held for what is to come, of which a part is waited for together: who has begun is not refused.
        private long ahead;

        /// Of documents without others.
        private Size own = new Size();

        /// Of what is embedded in each of them.
        private Size related = new Size();

        private Run(Lease lease, boolean isPage, long timeLimit) {
            this.lease = lease;
            this.isPage = isPage;
            this.timeLimit = timeLimit;
        }

        /// Memory for a result; that of related documents is held when they are there.
        Room room(DocumentSizes sizes, FindQuery query, int most, boolean isShared) {
            own = sizes.of(query.namespace());
            related = sizes.of(
                    query.namespace(),
                    level.nodes.stream().map(node -> node.relationship.name()).collect(joining("\n", MEMBER, "")));
            return new Room(lease, own, most, isShared, !isNothing());
        }

        /// The response, which names what is not shown: stored fields, and documents beyond a limit.
        Response.Ready warned(Response.Ready response) {
            var warned = response;
            if (replaces) {
                warned = warned.withAlso(
                        "Warning",
                        FoundWarnings.line("a stored property " + MEMBER
                                + " is not shown, since the parameter embed adds documents of this name"));
            }
            for (var limited : cutOff) {
                warned = warned.withAlso("Warning", FoundWarnings.line("embed: some documents have more " + limited));
            }
            return warned;
        }

        /// The documents of a cursor with those to which they refer. Those of a part are read together.
        MongoCursor<RawBsonDocument> over(MongoCursor<RawBsonDocument> found) {
            return isNothing() ? found : new EmbeddingCursor(found);
        }

        /// One document with those to which it refers.
        RawBsonDocument over(RawBsonDocument document) {
            return isNothing()
                    ? document
                    : embed(level, List.of(document), true).getFirst();
        }

        /// Waits for the memory that the related documents of some will take, and these with them.
        private void awaitRelated(int documents) {
            long needed = related.isKnown() ? MADE * related.bytes(documents) : Size.UNKNOWN_READ;
            lease.await(needed);
            ahead += needed;
        }

        private List<RawBsonDocument> embed(Level level, List<RawBsonDocument> all, boolean isOuter) {
            if (level.isNothing() || all.isEmpty()) {
                return all;
            }
            var members = new ArrayList<BsonDocument>();
            all.forEach(_ -> members.add(new BsonDocument()));
            for (var node : level.nodes) {
                var related = related(node, all, isOuter);
                for (int i = 0; i < all.size(); i++) {
                    var mine = related.get(i);
                    members.get(i)
                            .append(
                                    node.relationship.name(),
                                    !node.relationship.isToOne()
                                            ? new BsonArray(mine)
                                            : mine.isEmpty() ? BsonNull.VALUE : mine.getFirst());
                }
            }
            var embedded = new ArrayList<RawBsonDocument>(all.size());
            long made = 0;
            for (int i = 0; i < all.size(); i++) {
                var stored = all.get(i);
                var edit = RawDocuments.edit(
                        level.shown.isEmpty()
                                ? stored
                                : RawDocuments.encode(level.shown.get().apply(stored)));
                level.surplus.forEach(edit::remove);
                if (!level.nodes.isEmpty()) {
                    replaces |= RawDocuments.get(stored, MEMBER).isPresent();
                    edit.put(MEMBER, members.get(i));
                }
                var document = edit.toDocument();
                made += document.getByteLength();
                if (made >= HELD_AT_A_TIME || i == all.size() - 1) {
                    hold(made);
                    made = 0;
                }
                embedded.add(document);
            }
            return embedded;
        }

        private void hold(long more) {
            lease.extend(more - ofAhead(more));
            held += more;
        }

        /// What is there already.
        private void count(long more) {
            lease.correct(0, more - ofAhead(more));
            held += more;
        }

        private long ofAhead(long more) {
            long taken = Math.min(ahead, more);
            ahead -= taken;
            return taken;
        }

        private List<List<RawBsonDocument>> related(Node node, List<RawBsonDocument> all, boolean isOuter) {
            if (node.relation.isEmpty()) {
                return all.stream().map(_ -> List.<RawBsonDocument>of()).toList();
            }
            if (timeLimit > 0 && System.nanoTime() - began > timeLimit) {
                throw new ProblemException(
                        ProblemCode.QUERY_TIMED_OUT,
                        "the related documents were not found within " + TimeUnit.NANOSECONDS.toSeconds(timeLimit)
                                + " s");
            }
            var found = limited(
                    node, found(node, all.stream().map(node.relationship::keys).toList()));
            for (var mine : found) {
                documents += mine.size();
            }
            if (documents > RelatedReads.MAX_DOCUMENTS) {
                throw RelatedReads.tooMany();
            }
            var placed = node.below.isNothing() ? found : completed(node.below, found);
            long size = size(placed);
            bytes = isOuter ? bytes + size : bytes; // what is embedded deeper is a part of it
            if (Math.max(bytes, size) > RelatedReads.MAX_BYTES) {
                throw RelatedReads.tooMany();
            }
            count(size);
            return placed;
        }

        private List<List<RawBsonDocument>> limited(Node node, List<List<RawBsonDocument>> found) {
            if (found.stream().noneMatch(mine -> mine.size() > node.limit)) {
                return found;
            }
            cutOff.add("'" + node.relationship.name() + "' than the limit of " + node.limit);
            return found.stream()
                    .map(mine -> mine.size() > node.limit ? List.copyOf(mine.subList(0, node.limit)) : mine)
                    .toList();
        }

        /// Each document once, with those to which it refers.
        private List<List<RawBsonDocument>> completed(Level below, List<List<RawBsonDocument>> found) {
            var distinct = new IdentityHashMap<RawBsonDocument, Integer>();
            var once = new ArrayList<RawBsonDocument>();
            for (var mine : found) {
                for (var document : mine) {
                    if (distinct.putIfAbsent(document, once.size()) == null) {
                        once.add(document);
                        count(document.getByteLength());
                    }
                }
            }
            var complete = embed(below, once, false);
            return found.stream()
                    .map(mine -> mine.stream()
                            .map(document -> complete.get(distinct.getOrDefault(document, 0)))
                            .toList())
                    .toList();
        }

        private static long size(List<List<RawBsonDocument>> lists) {
            long size = 0;
            for (var mine : lists) {
                for (var document : mine) {
                    size += document.getByteLength();
                }
            }
            return size;
        }

        /// More may be read than is embedded, which nothing holds afterwards. What MongoDB says of a failure may quote
        /// documents that the caller may not see.
        private List<List<RawBsonDocument>> found(Node node, List<List<BsonValue>> keys) {
            try (var command = lease.another(CallerScope.sharers())) {
                return reads.read(node.relation.orElseThrow(), keys, lease, command);
            } catch (CompletionException | MongoException e) {
                var cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
                throw MongoErrors.unquoted(cause) instanceof RuntimeException known ? known : e;
            }
        }

        private final class EmbeddingCursor extends DocumentCursor {
            private final MongoCursor<RawBsonDocument> found;
            private final Queue<RawBsonDocument> ready = new ArrayDeque<>();

            EmbeddingCursor(MongoCursor<RawBsonDocument> found) {
                this.found = found;
            }

            @Override
            public boolean hasNext() {
                if (ready.isEmpty()) {
                    read();
                }
                return !ready.isEmpty();
            }

            private void read() {
                release(); // the part before is encoded
                var all = new ArrayList<RawBsonDocument>();
                long more = 0;
                long read = 0;
                int largest = 0;
                while ((isPage || (all.size() < PART && held < PART_BYTES)) && found.hasNext()) {
                    var document = found.next();
                    more += document.getByteLength();
                    read += document.getByteLength();
                    largest = Math.max(largest, document.getByteLength());
                    if (more >= HELD_AT_A_TIME || found.available() == 0) {
                        hold(more);
                        more = 0;
                    }
                    all.add(document);
                    if (isPage && held > MAX_PAGE_BYTES) {
                        throw new ProblemException(
                                ProblemCode.EMBED_TOO_LARGE,
                                "a page with embed has at most " + (MAX_PAGE_BYTES >> 20)
                                        + " MiB of documents of its own: use a smaller pagesize, or keys");
                    }
                }
                if (all.isEmpty()) {
                    return;
                }
                own.saw(read, all.size(), largest);
                if (!isPage) {
                    documents = 0;
                    bytes = 0;
                }
                awaitRelated(all.size());
                ready.addAll(embed(level, all, true));
                long made =
                        ready.stream().mapToLong(RawBsonDocument::getByteLength).sum();
                related.saw(Math.max(0, made - read), all.size());
                long left = MADE * made; // and what is encoded of them; what they are made of is not needed any more
                lease.correct(held + ahead, left);
                held = left;
                ahead = 0;
            }

            private void release() {
                lease.correct(held + ahead, 0);
                held = 0;
                ahead = 0;
            }

            @Override
            public RawBsonDocument next() {
                return hasNext() ? ready.remove() : ready.element();
            }

            @Override
            public int available() {
                return ready.size();
            }

            @Override
            public void close() {
                release();
                found.close();
            }
        }
    }
}

package org.restheart.mcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.http.Content;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.Explain;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Slice;

/// The tools that read. Thread-safe.
final class ReadTools {
    private static final Duration CURSOR_LIFETIME = Duration.ofHours(1);
    private static final String CURSOR = "cursor";
    private static final int SAMPLE = 50;
    private static final int MAX_INDEXES = 100;

    /// Collections of a list whose documents are counted and whose aggregations are named.
    private static final int DETAILED = 100;

    private final McpConfig config;
    private final JudgedCalls calls;
    private final VisibleCollections visible;
    private final SealedTokens tokens;

    ReadTools(McpConfig config, JudgedCalls calls, VisibleCollections visible, SealedTokens tokens) {
        this.config = config;
        this.calls = calls;
        this.visible = visible;
        this.tokens = tokens;
    }

    ToolResult listDatabases(ToolCall call) {
        var names = visible.databases(call.http());
        var array = DataBlock.texts(names.stream().map(Names::cut).toList());
        return ToolResult.of(names.size() + " databases", new BsonDocument("databases", array));
    }

    ToolResult listCollections(ToolCall call) {
        var database = call.text("database");
        var found = visible.collections(call.http(), database);
        if (found.isEmpty()) {
            throw Refusals.notVisible();
        }
        var array = new BsonArray();
        found.forEach(collection -> array.add(described(call, collection, array.size() < DETAILED)));
        return ToolResult.of(
                found.size() + " collections of " + Names.quoted(database), new BsonDocument("collections", array));
    }

    private BsonDocument described(ToolCall call, VisibleCollections.Visible collection, boolean detailed) {
        var described = new BsonDocument(
                        "name", new BsonString(Names.cut(collection.entry().name())))
                .append("kind", new BsonString(collection.entry().kind()));
        if (!detailed) {
            return described;
        }
        if (VisibleCollections.isWhole(collection.facts().grant())
                && collection.entry().kind().equals("collection")) {
            size(call, collection.path(), Map.of("count", "estimated"))
                    .ifPresent(count -> described.append("documents", new BsonInt64(count)));
        }
        declared(call, collection, "aggrs", "/_aggrs/").ifPresent(names -> described.append("aggregations", names));
        declared(call, collection, "streams", "/_streams/").ifPresent(names -> described.append("streams", names));
        return described;
    }

    /// The names of what a collection declares, as far as the caller may use it.
    private Optional<BsonArray> declared(
            ToolCall call, VisibleCollections.Visible collection, String property, String below) {
        var names = new BsonArray();
        if (collection.facts().properties().map(all -> all.get(property)).orElse(null) instanceof BsonArray declared) {
            for (var each : declared) {
                if (each instanceof BsonDocument one
                        && one.get("uri") instanceof BsonString uri
                        && calls.facts(
                                        call.http(),
                                        Method.GET,
                                        collection.path() + below + ResourceUri.encoded(uri.getValue()),
                                        call.via())
                                .isPresent()) {
                    names.add(new BsonString(Names.cut(uri.getValue())));
                }
            }
        }
        return names.isEmpty() ? Optional.empty() : Optional.of(names);
    }

    ToolResult schema(ToolCall call) {
        var fields = new ObservedFields(call.number("depth", 3));
        var page = calls.send(
                call.http(),
                JudgedRequest.at(Method.GET, calls.collection(call), Map.of(), call.via())
                        .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED)
                        .with(JudgedRequest.TIME_LIMIT, config.queryTimeLimit())
                        .with(Slice.KEY, new Slice(0, SAMPLE)));
        read(call, page.content(), fields::add);
        var schema = new BsonDocument("fields", fields.shown())
                .append("sample", new BsonInt32(fields.documents()))
                .append("more", BsonBoolean.valueOf(fields.hasMore()));
        return ToolResult.of(
                "Fields of " + call.namespace() + ", from a sample of " + fields.documents() + " documents", schema);
    }

    private void read(ToolCall call, Content array, Consumer<BsonDocument> each) {
        try (var elements = new JsonElements(Content.stream(array))) {
            for (var next = elements.next(); next.isPresent(); next = elements.next()) {
                each.accept(JsonParser.parseDocument(next.get()));
            }
        } catch (IOException | RuntimeException e) {
            throw broken(call, e);
        }
    }

    /// What was being read ended before its end: MongoDB's time is over, or it is gone.
    private static RefusedCall broken(ToolCall call, Exception failure) {
        if (failure instanceof RefusedCall refused) {
            return refused;
        }
        return new RefusedCall(
                "failed",
                "the result broke off while it was read: ask for less, or again (request "
                        + call.http().id() + ")");
    }

    ToolResult indexes(ToolCall call) {
        var page = calls.send(
                call.http(),
                JudgedRequest.at(Method.GET, calls.collection(call) + "/_indexes", Map.of(), call.via())
                        .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED));
        var indexes = new BsonArray();
        read(call, page.content(), index -> {
            if (indexes.size() < MAX_INDEXES) {
                indexes.add(index(index));
            }
        });
        return ToolResult.of(indexes.size() + " indexes of " + call.namespace(), new BsonDocument("indexes", indexes));
    }

    private static BsonDocument index(BsonDocument specification) {
        var shown = new BsonDocument("name", specification.get("_id", new BsonString("")));
        for (var name :
                List.of("key", "unique", "sparse", "expireAfterSeconds", "weights", "partialFilterExpression")) {
            var value = specification.get(name);
            if (value != null) {
                shown.append(name, value);
            }
        }
        return shown;
    }

    ToolResult find(ToolCall call) {
        var collection = calls.collection(call);
        var filter = call.filter();
        int limit = limit(call);
        var block = block(call, limit);
        var id = call.has(CURSOR) ? Optional.<String>empty() : calls.paths().ofIdIn(filter);
        if (id.isPresent()) {
            one(call, collection + "/" + id.get(), block);
            return documents(call, block, Optional.empty());
        }
        var place = call.optionalText(CURSOR).map(token -> open(call, token)).orElseGet(Place::new);
        add(call, page(call, collection, limit, place), block);
        return documents(call, block, place.behind(block, call.has("sort")));
    }

    /// Where a page begins.
    ///
    /// @param skip documents before it
    /// @param after the key of the one before it, for the order of the `_id`s
    private record Place(long skip, Optional<BsonValue> after) {
        Place() {
            this(0, Optional.empty());
        }

        /// The place behind what is shown, if there is more.
        Optional<Place> behind(DataBlock block, boolean sorted) {
            if (!block.hasMore()) {
                return Optional.empty();
            }
            var id = sorted ? Optional.<BsonValue>empty() : block.last().map(last -> last.get("_id"));
            return Optional.of(new Place(skip + block.count(), id.filter(value -> !value.isArray())));
        }

        BsonDocument toBson() {
            var place = new BsonDocument("s", new BsonInt64(skip));
            after.ifPresent(id -> place.append("a", id));
            return place;
        }

        static Place of(BsonDocument place) {
            return new Place(place.getInt64("s").getValue(), Optional.ofNullable(place.get("a")));
        }
    }

    /// Everything but the cursor must be as it was.
    private Place open(ToolCall call, String token) {
        return tokens.open(token, CURSOR, call.credential().principal(), call.matter(CURSOR))
                .map(Place::of)
                .orElseThrow(() -> RpcError.invalidParams("the cursor is not of this call, or its time is over"));
    }

    private Content page(ToolCall call, String collection, int limit, Place place) {
        if (place.after().isPresent()) {
            var key = new BsonDocument("_id", place.after().get());
            try {
                return query(call, collection, new Slice(0, limit + 1, false), Map.of("after", encoded(key)));
            } catch (ProblemException e) {
                if (e.problem().code() != ProblemCode.PARAMETER_INVALID) {
                    throw e;
                } // a view, say, which has no index
            }
        }
        return query(call, collection, new Slice(place.skip(), limit + 1, false), Map.of());
    }

    private static String encoded(BsonDocument key) {
        var json = JsonEncoder.of(JsonMode.EXTENDED).encodeToString(key).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    private Content query(ToolCall call, String collection, Slice slice, Map<String, String> more) {
        var parameters = parameters(call);
        parameters.putAll(more);
        return calls.send(
                        call.http(),
                        JudgedRequest.at(Method.GET, collection, parameters, call.via())
                                .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED)
                                .with(JudgedRequest.TIME_LIMIT, config.queryTimeLimit())
                                .with(Slice.KEY, slice))
                .content();
    }

    private static Map<String, String> parameters(ToolCall call) {
        var parameters = new LinkedHashMap<String, String>();
        call.json("filter").ifPresent(filter -> parameters.put("filter", filter));
        call.json("sort").ifPresent(sort -> parameters.put("sort", sort));
        call.json("projection").ifPresent(keys -> parameters.put("keys", keys));
        return parameters;
    }

    private void one(ToolCall call, String target, DataBlock block) {
        var parameters = new LinkedHashMap<String, String>();
        call.json("projection").ifPresent(keys -> parameters.put("keys", keys));
        try {
            var found = calls.send(
                    call.http(),
                    JudgedRequest.at(Method.GET, target, parameters, call.via())
                            .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED));
            try (var json = Content.stream(found.content())) {
                block.add(JsonParser.parseDocument(json.readAllBytes()));
            } catch (IOException e) {
                throw broken(call, e);
            }
        } catch (ProblemException e) {
            if (e.problem().code() != ProblemCode.NOT_FOUND) {
                throw e;
            }
        }
    }

    /// A document in its fence, of which nothing is cut.
    ///
    /// @param id as the REST API spells it
    /// @throws RefusedCall also for one that is too large
    String whole(ToolCall call, String id) {
        int most = config.sizes().maxBytes();
        var found = calls.send(
                call.http(),
                JudgedRequest.at(Method.GET, calls.collection(call) + "/" + id, Map.of(), call.via())
                        .with(JudgedRequest.JSON_MODE, JsonMode.RELAXED));
        try (var json = Content.stream(found.content())) {
            var bytes = json.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new RefusedCall(
                        "size", "the document is larger than " + most + " bytes: ask for some of its fields");
            }
            return Fence.around(Fence.escaped(new String(bytes, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw broken(call, e);
        }
    }

    private int limit(ToolCall call) {
        return Math.min(
                call.number("limit", config.sizes().defaultDocuments()),
                config.sizes().maxDocuments());
    }

    private DataBlock block(ToolCall call, int limit) {
        var sizes = config.sizes();
        return new DataBlock(
                limit, Math.min(call.number("max-bytes", sizes.defaultBytes()), sizes.maxBytes()), sizes.maxString());
    }

    private static void add(ToolCall call, Content array, DataBlock block) {
        try {
            block.addAll(array);
        } catch (IOException | RuntimeException e) {
            throw broken(call, e);
        }
    }

    private ToolResult documents(ToolCall call, DataBlock block, Optional<Place> next) {
        if (block.hasMore()
                && call.number("limit", 0) > config.sizes().maxDocuments()
                && block.count() == config.sizes().maxDocuments()) {
            block.capped("documents");
        }
        var token = next.map(place -> tokens.seal(
                CURSOR, call.credential().principal(), call.matter(CURSOR), place.toBson(), CURSOR_LIFETIME));
        var numbers = block.numbers();
        token.ifPresent(text -> numbers.append("next", new BsonString(text)));
        if (config.sizes().structured()) {
            numbers.append("documents", new BsonArray(block.documents()));
        }
        return ToolResult.of(summary(call, block, token), block, numbers);
    }

    private static String summary(ToolCall call, DataBlock block, Optional<String> token) {
        var text = new StringBuilder("Returned ").append(block.count());
        if (block.hasMore()) {
            text.append(" of more than ").append(block.count());
        }
        text.append(" documents of ").append(call.namespace());
        var limits = new ArrayList<String>();
        if (!block.cut().isEmpty()) {
            limits.add("cut: " + block.cut().size() + " values");
        }
        if (!block.capped().isEmpty()) {
            limits.add("capped by " + String.join(", ", block.capped()));
        }
        if (!limits.isEmpty()) {
            text.append(" (").append(String.join("; ", limits)).append(')');
        }
        token.ifPresent(next -> text.append(". next: \"").append(next).append('"'));
        return text.toString();
    }

    ToolResult count(ToolCall call) {
        var parameters = new LinkedHashMap<String, String>();
        call.json("filter").ifPresent(filter -> parameters.put("filter", filter));
        int most = config.countLimit();
        long count = counted(call, calls.collection(call), parameters, most + 1, config.queryTimeLimit());
        boolean exact = count <= most;
        long shown = Math.min(count, most);
        return new ToolResult(
                (exact ? "" : "At least ") + shown + " documents of " + call.namespace() + " match",
                Optional.empty(),
                new BsonDocument("count", new BsonInt64(shown)).append("exact", BsonBoolean.valueOf(exact)),
                0,
                0,
                exact ? List.of() : List.of("documents"),
                Optional.empty());
    }

    /// How many documents a call's filter matches; empty if the caller may not count, or it takes too long.
    OptionalLong matching(ToolCall call, Duration timeLimit) {
        var parameters = new LinkedHashMap<String, String>();
        call.json("filter").ifPresent(filter -> parameters.put("filter", filter));
        try {
            return OptionalLong.of(counted(call, calls.collection(call), parameters, 0, timeLimit));
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return OptionalLong.empty();
        }
    }

    private Optional<Long> size(ToolCall call, String collection, Map<String, String> parameters) {
        try {
            return Optional.of(counted(call, collection, parameters, 0, config.queryTimeLimit()));
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /// @param most where counting ends; 0 for nowhere
    private long counted(
            ToolCall call, String collection, Map<String, String> parameters, int most, Duration timeLimit) {
        var inner = JudgedRequest.at(Method.GET, collection + "/_size", parameters, call.via())
                .with(JudgedRequest.TIME_LIMIT, timeLimit);
        var answer = calls.send(call.http(), most > 0 ? inner.with(Slice.KEY, new Slice(0, most)) : inner);
        return number(call, answer.content());
    }

    private static long number(ToolCall call, Content size) {
        try (var json = Content.stream(size)) {
            var number =
                    (BsonNumber) JsonParser.parseDocument(json.readAllBytes()).get("_size");
            return number == null ? 0 : number.longValue();
        } catch (IOException e) {
            throw broken(call, e);
        }
    }

    ToolResult aggregate(ToolCall call) {
        int limit = limit(call);
        var block = block(call, limit);
        var content = "{\"stages\": " + call.requireJson("pipeline") + "}";
        var results = calls.send(
                call.http(),
                JudgedRequest.at(Method.POST, calls.collection(call) + "/_aggrs", Map.of(), call.via())
                        .withContent(content.getBytes(StandardCharsets.UTF_8))
                        .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED)
                        .with(JudgedRequest.TIME_LIMIT, config.timeLimit())
                        .with(Slice.KEY, new Slice(0, limit + 1)));
        add(call, results.content(), block);
        return documents(call, block, Optional.empty());
    }

    ToolResult runAggregation(ToolCall call) {
        var block = block(call, limit(call));
        var parameters = new LinkedHashMap<String, String>();
        call.json("variables").ifPresent(variables -> parameters.put("avars", variables));
        var results = calls.send(
                call.http(),
                JudgedRequest.at(
                                Method.GET,
                                calls.collection(call) + "/_aggrs/" + ResourceUri.encoded(call.text("name")),
                                parameters,
                                call.via())
                        .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED)
                        .with(JudgedRequest.TIME_LIMIT, config.timeLimit()));
        add(call, results.content(), block);
        return documents(call, block, Optional.empty());
    }

    ToolResult explain(ToolCall call) {
        var collection = calls.collection(call);
        boolean executes =
                call.optionalText("verbosity").filter("executionStats"::equals).isPresent();
        if (executes && !config.explainExecutes()) {
            throw RefusedCall.argument("verbosity executionStats is switched off here: leave it out");
        }
        if (call.has("pipeline") && (call.has("filter") || call.has("sort") || call.has("projection"))) {
            throw RefusedCall.argument("give either a pipeline, or filter, sort and projection");
        }
        var facts = calls.facts(call.http(), Method.GET, collection + "/_indexes", call.via())
                .flatMap(_ -> calls.facts(call.http(), Method.GET, collection, call.via()))
                .orElseThrow(Refusals::notVisible);
        boolean hides = facts.grant().readFilter().isPresent()
                || facts.grant().projectResponse().isPresent();
        if (executes && hides) {
            throw RefusedCall.argument("verbosity executionStats would count documents that you may not see");
        }
        var plan = new AtomicReference<BsonDocument>();
        calls.send(call.http(), explained(call, collection).with(Explain.KEY, new Explain(executes, plan::set)));
        var shown = QueryPlans.shown(plan.get(), hides);
        return ToolResult.of("The plan for " + call.namespace(), shown);
    }

    private JudgedRequest explained(ToolCall call, String collection) {
        if (call.has("pipeline")) {
            var content = "{\"stages\": " + call.requireJson("pipeline") + "}";
            return JudgedRequest.at(Method.POST, collection + "/_aggrs", Map.of(), call.via())
                    .withContent(content.getBytes(StandardCharsets.UTF_8))
                    .with(JudgedRequest.TIME_LIMIT, config.timeLimit());
        }
        return JudgedRequest.at(Method.GET, collection, parameters(call), call.via())
                .with(JudgedRequest.TIME_LIMIT, config.timeLimit());
    }
}

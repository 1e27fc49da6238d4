package org.restheart.mcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.data.Operation.Read;
import org.restheart.http.Content;
import org.restheart.http.FoundWarnings;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mcp.Resources.ResourceUri;

/// The tools that read documents. Thread-safe.
record ReadTools(McpConfig config, JudgedCalls calls, SealedTokens.Cursors cursors, ScanGuard scans) {
    ToolResult find(ToolCall call) {
        var collection = calls.collection(call);
        var filter = call.filter();
        int limit = limit(call);
        var block = block(call, limit);
        var id = call.has(cursors.name())
                ? Optional.<String>empty()
                : calls.paths().ofIdIn(filter);
        if (id.isPresent()) {
            return one(call, block, collection, id.get());
        }
        var place = cursors.open(call, DocumentPosition::of).orElseGet(DocumentPosition::new);
        add(call, page(call, collection, limit, place), block);
        return documents(call, block, place.behind(block, call.has("sort")));
    }

    private ToolResult one(ToolCall call, DataBlock block, String collection, String id) {
        var read =
                call.request(Read.GET, collection, id, call.query("projection")).with(new Answer.Values());
        try {
            block.add(JudgedCalls.document(call, calls.send(call.http(), read)));
        } catch (ProblemException e) {
            if (e.problem().code() != ProblemCode.NOT_FOUND) {
                throw e;
            }
            FilterMistakes.in("the filter", call.filter()).ifPresent(text -> FoundWarnings.add(call.http(), text));
        }
        return documents(call, block, Optional.empty());
    }

    /// @param skip the number of documents before the page
    /// @param after the `_id` of the document before the page, if the order is that of `_id`s
    private record DocumentPosition(long skip, Optional<BsonValue> after) {
        DocumentPosition() {
            this(0, Optional.empty());
        }

        /// The position after the block, if there are more documents.
        Optional<DocumentPosition> behind(DataBlock block, boolean sorted) {
            if (!block.hasMore()) {
                return Optional.empty();
            }
            var id = sorted ? Optional.<BsonValue>empty() : block.last().map(last -> last.get("_id"));
            return Optional.of(new DocumentPosition(skip + block.count(), id.filter(value -> !value.isArray())));
        }

        BsonDocument toBson() {
            var place = new BsonDocument("s", new BsonInt64(skip));
            after.ifPresent(id -> place.append("a", id));
            return place;
        }

        static DocumentPosition of(BsonDocument place) {
            return new DocumentPosition(place.getInt64("s").getValue(), Optional.ofNullable(place.get("a")));
        }
    }

    private Content page(ToolCall call, String collection, int limit, DocumentPosition place) {
        if (place.after().isPresent()) {
            var key = new BsonDocument("_id", place.after().get());
            try {
                return query(
                        call,
                        collection,
                        new Slice(0, limit + 1, false, false),
                        Map.of(DataParameter.AFTER, encoded(key)));
            } catch (ProblemException e) {
                if (e.problem().code() != ProblemCode.PARAMETER_INVALID) {
                    throw e;
                } // for example a view, which has no index
            }
        }
        return query(call, collection, new Slice(place.skip(), limit + 1, false, false), Map.of());
    }

    private static String encoded(BsonDocument key) {
        var json = JsonEncoder.of(JsonMode.EXTENDED).encodeToString(key).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    private Content query(ToolCall call, String collection, Slice slice, Map<DataParameter, String> more) {
        var parameters = parameters(call);
        parameters.putAll(more);
        var query = call.request(Read.FIND, collection, parameters)
                .with(new Answer.Values())
                .with(JudgedRequest.TIME_LIMIT, config.queryTimeLimit())
                .with(JudgedRequest.INTERRUPTIBLE, true)
                .with(Slice.KEY, slice);
        scans.check(call, collection, query);
        return calls.send(call.http(), query).content();
    }

    static Map<DataParameter, String> parameters(ToolCall call) {
        return call.query("filter", "sort", "projection");
    }

    /// A document without any truncation, as JSON for a fence.
    ///
    /// @param id as in a path of the REST API
    /// @throws RefusedCall also if the document is too large
    String whole(ToolCall call, String id) {
        int most = config.sizes().maxBytes();
        var request =
                call.request(Read.GET, calls.collection(call), id, Map.of()).with(new Answer.Values());
        var document = JudgedCalls.document(call, calls.send(call.http(), request));
        var json = JsonEncoder.of(JsonMode.RELAXED).encodeToString(document);
        if (json.getBytes(StandardCharsets.UTF_8).length > most) {
            throw new RefusedCall("size", "the document is larger than " + most + " bytes: ask for some of its fields");
        }
        return Fence.escaped(json);
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

    /// A failure after the first document ends the block, unless the rest is refused as long as the call is the same.
    private static void add(ToolCall call, Content documents, DataBlock block) {
        try {
            block.addAll(documents);
        } catch (IOException | RuntimeException e) {
            var refused = RefusedCall.interrupted(call, e);
            if (block.count() == 0 || refused.reason().equals("refused")) {
                throw refused;
            }
        }
    }

    private ToolResult documents(ToolCall call, DataBlock block, Optional<DocumentPosition> next) {
        if (block.hasMore()
                && call.number("limit", 0) > config.sizes().maxDocuments()
                && block.count() == config.sizes().maxDocuments()) {
            block.capped("documents");
        }
        var token = next.map(place -> cursors.next(call, place.toBson()));
        return ToolResult.of(summary(call, block), block, token, config.sizes());
    }

    private static String summary(ToolCall call, DataBlock block) {
        var text = new StringBuilder("Returned ").append(block.count());
        if (block.hasMore()) {
            text.append(" of more than ").append(block.count());
        }
        text.append(block.count() == 1 && !block.hasMore() ? " document of " : " documents of ")
                .append(call.namespace());
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
        return text.toString();
    }

    ToolResult count(ToolCall call) {
        var parameters = call.query("filter");
        int most = config.countLimit();
        var collection = calls.collection(call);
        if (!parameters.isEmpty()) {
            scans.check(
                    call,
                    collection,
                    call.request(Read.FIND, collection, parameters)
                            .with(JudgedRequest.TIME_LIMIT, config.queryTimeLimit()));
        }
        long count = calls.count(call, collection, parameters, most + 1, config.queryTimeLimit());
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

    ToolResult aggregate(ToolCall call) {
        int limit = limit(call);
        var block = block(call, limit);
        var collection = calls.collection(call);
        var query = pipeline(call, collection, config.timeLimit())
                .with(new Answer.Values())
                .with(Slice.KEY, new Slice(0, limit + 1));
        scans.check(call, collection, query);
        add(call, calls.send(call.http(), query).content(), block);
        return documents(call, block, Optional.empty());
    }

    ToolResult runAggregation(ToolCall call) {
        var block = block(call, limit(call));
        var name = ResourceUri.encoded(call.text("name"));
        var results = calls.sendToDeclared(
                call,
                "name",
                call.request(Read.RUN, calls.collection(call), name, call.query("variables"))
                        .with(new Answer.Values())
                        .with(JudgedRequest.TIME_LIMIT, config.timeLimit()));
        add(call, results.content(), block);
        return documents(call, block, Optional.empty());
    }

    /// @param limit of the time for which MongoDB works
    static JudgedRequest pipeline(ToolCall call, String collection, Duration limit) {
        var content = "{\"stages\": " + call.requireJson("pipeline") + "}";
        return call.request(Read.AGGREGATE, collection, Map.of())
                .withContent(content.getBytes(StandardCharsets.UTF_8))
                .with(JudgedRequest.TIME_LIMIT, limit);
    }
}

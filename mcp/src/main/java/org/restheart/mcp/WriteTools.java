package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Write;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.parameter.DataParameter;
import org.restheart.text.ShortText;

/// The tools that write. Thread-safe.
///
/// @param never namespaces (`database.collection`) that tools never write
record WriteTools(McpConfig.Writing config, JudgedCalls calls, Confirmations confirmations, Set<String> never) {
    private static final Duration COUNTING = Duration.ofSeconds(1);
    private static final int MAX_FILTER_SHOWN = 1_000;

    private String collection(ToolCall call) {
        if (never.contains(call.text("database") + "." + call.text("collection"))) {
            throw new RefusedCall(
                    "not-permitted", "accounts, permissions and keys are not written with tools, whoever asks");
        }
        return calls.collection(call);
    }

    ToolResult insertMany(ToolCall call) {
        var documents = call.arguments().getArray("documents");
        var content = documents.size() == 1
                ? JsonEncoder.of(JsonMode.RELAXED).encodeToString(documents.getFirst())
                : call.requireJson("documents");
        var report = write(
                call,
                call.request(Write.INSERT, collection(call), Map.of())
                        .withContent(content.getBytes(StandardCharsets.UTF_8)));
        var done = object("inserted", (long) report.inserted().size(), "ids", report.inserted());
        if (!report.errors().isEmpty()) {
            var failed = new BsonArray();
            report.errors().forEach(error -> failed.add(error.get("index", new BsonInt64(0))));
            done.append("refused", failed); // their positions in the array
        }
        return ToolResult.of("Inserted " + report.inserted().size() + " documents into " + call.namespace(), done);
    }

    ToolResult updateMany(ToolCall call) {
        var filter = filter(call);
        requireOperators(call);
        var id = calls.paths().ofIdIn(filter);
        var inner = targeted(call, id, Write.UPDATE, Write.UPDATE_MANY)
                .withContent(call.requireJson("update").getBytes(StandardCharsets.UTF_8));
        if (id.isEmpty() && config.confirm()) {
            var matching = matching(call, inner);
            if (matching.isEmpty() || matching.get() > config.confirmAbove()) {
                var question = confirmations.ask(call, matching, act(call, "Change", matching));
                if (question.isPresent()) {
                    return question.get();
                }
            }
        }
        return changed(call, id.isPresent() ? writeOne(call, inner) : writeMany(call, inner));
    }

    ToolResult deleteMany(ToolCall call) {
        var id = calls.paths().ofIdIn(filter(call));
        var inner = targeted(call, id, Write.DELETE, Write.DELETE_MANY);
        if (config.confirm()) {
            var matching = matching(call, inner);
            var question = confirmations.ask(call, matching, act(call, "Delete", matching));
            if (question.isPresent()) {
                return question.get();
            }
        }
        var report = id.isPresent() ? writeOne(call, inner) : writeMany(call, inner);
        return ToolResult.of(
                "Deleted " + report.deleted() + " documents of " + call.namespace(),
                object("deleted", report.deleted()));
    }

    ToolResult updateDocument(ToolCall call) {
        requireOperators(call);
        var target = calls.paths()
                .ofId(call.extended("id"))
                .orElseThrow(() -> RefusedCall.argument("'id' is of a type that no path can name: use update-many"));
        var inner = call.request(Write.UPDATE, collection(call), target, Map.of())
                .withHeader("If-Match", call.text("etag"))
                .withContent(call.requireJson("update").getBytes(StandardCharsets.UTF_8));
        try {
            return changed(call, write(call, inner));
        } catch (ProblemException e) {
            throw switch (e.problem().code()) {
                case PRECONDITION_FAILED, CONFLICT ->
                    new RefusedCall("changed", "the document has changed since: read it again and use its new _etag");
                case NOT_FOUND -> new RefusedCall("refused", "there is no such document, or no permission");
                default -> e;
            };
        }
    }

    private static BsonDocument filter(ToolCall call) {
        var filter = call.filter();
        if (filter.isEmpty()) {
            throw RefusedCall.argument("'filter' must not be empty: name the documents");
        }
        return filter;
    }

    private static void requireOperators(ToolCall call) {
        BsonValue update = call.arguments().get("update");
        if (update instanceof BsonDocument object
                && (object.isEmpty() || !object.keySet().stream().allMatch(name -> name.startsWith("$")))) {
            throw RefusedCall.argument("'update' must have update operators only, such as $set");
        }
    }

    /// A request for the document with an id, or for all that match.
    private JudgedRequest targeted(ToolCall call, Optional<String> id, Write one, Write many) {
        var parameters = id.isEmpty() ? call.query("filter") : new EnumMap<DataParameter, String>(DataParameter.class);
        if (call.flag("upsert")) {
            parameters.put(DataParameter.WRITE_MODE, "upsert");
        }
        return call.request(id.isPresent() ? one : many, collection(call), id.orElse(""), parameters);
    }

    /// How many documents the write would reach; empty if that is not known.
    ///
    /// @param write the request that is sent when it is confirmed
    private Optional<Long> matching(ToolCall call, JudgedRequest write) {
        var filter = call.query("filter");
        return reachesHidden(call, filter, write)
                ? Optional.empty()
                : calls.countIfAllowed(call, collection(call), filter, COUNTING);
    }

    /// Whether rules may let the write reach documents that the caller does not see, and so cannot count.
    private boolean reachesHidden(ToolCall call, Map<DataParameter, String> filter, JudgedRequest write) {
        Optional<DataFacts> counted;
        try {
            counted = calls.requests().facts(call.http(), call.request(Read.COUNT, collection(call), filter));
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return true;
        }
        if (counted.isPresent() && counted.get().grant().readFilter().isEmpty()) {
            return false;
        }
        var readFilter = counted.flatMap(facts -> facts.grant().readFilter());
        return calls.requests()
                .facts(call.http(), write)
                .filter(facts ->
                        readFilter.isPresent() && facts.grant().writeFilter().equals(readFilter))
                .isEmpty();
    }

    private static String act(ToolCall call, String verb, Optional<Long> matching) {
        var shown = ShortText.of(call.requireJson("filter"), MAX_FILTER_SHOWN);
        return verb + " " + (matching.isPresent() ? Long.toString(matching.get()) : "an unknown number of")
                + " documents of " + call.namespace() + " that match " + Fence.escaped(shown) + "?";
    }

    /// @throws ProblemException if MongoDB refused a statement about many documents
    private DataWrite.Report writeMany(ToolCall call, JudgedRequest inner) {
        var report = write(call, inner);
        var failure = report.failure();
        if (failure.isPresent()) {
            throw failure.get().raise();
        }
        return report;
    }

    private DataWrite.Report write(ToolCall call, JudgedRequest inner) {
        return calls.send(call.http(), inner)
                .said(DataWrite.Report.class)
                .orElseThrow(() ->
                        new RefusedCall("failed", RefusedCall.failed(call.http().id())));
    }

    /// A missing document counts as one that did not match.
    private DataWrite.Report writeOne(ToolCall call, JudgedRequest inner) {
        try {
            return write(call, inner);
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.NOT_FOUND) {
                return DataWrite.Report.changed(0, 0);
            }
            throw e;
        }
    }

    private static ToolResult changed(ToolCall call, DataWrite.Report report) {
        var done = object("matched", report.matched(), "modified", report.modified());
        report.upserted().ifPresent(id -> done.append("upsertedId", id));
        return ToolResult.of(
                "Changed " + report.modified() + " of " + report.matched() + " documents of " + call.namespace()
                        + " that match",
                done);
    }
}

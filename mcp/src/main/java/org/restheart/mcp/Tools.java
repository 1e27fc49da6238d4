package org.restheart.mcp;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.text.Nearest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `tools/list` and `tools/call`. Thread-safe.
///
/// @param offered the enabled tools
record Tools(
        Set<Tool> offered,
        VisibleCollections visible,
        Tools.Handlers handlers,
        CallRecords records,
        JudgedCalls calls) {
    private static final Logger LOG = LoggerFactory.getLogger(Tools.class);

    /// What arguments are called elsewhere.
    private static final List<String> ARGUMENTS_OF_OTHERS =
            List.of("args", "argument", "parameters", "params", "input", "inputs");

    static Set<Tool> offered(McpConfig config) {
        var offered = EnumSet.noneOf(Tool.class);
        Arrays.stream(Tool.values())
                .filter(tool -> config.tools().isEmpty() || config.tools().contains(tool.toolName()))
                .filter(tool -> !tool.writes() || !config.isReadOnly())
                .forEach(offered::add);
        return Collections.unmodifiableSet(offered);
    }

    /// The tools that the caller may use.
    BsonDocument list(Request http) {
        var tools = new BsonArray();
        if (!offered.isEmpty()) {
            var usable = visible.usable(http, offered);
            offered.stream().filter(usable::contains).map(Tool::definition).forEach(tools::add);
        }
        return new BsonDocument("tools", tools);
    }

    /// @throws RpcError for an unknown tool, and for malformed parameters
    BsonDocument call(RpcRequest rpc) {
        var name = rpc.text("name");
        var tool = Tool.of(name).filter(offered::contains).orElseThrow(() -> unknown(name, offered));
        var sent = rpc.params().get("arguments");
        if (sent != null && !sent.isDocument()) {
            throw RpcError.invalidParams("'arguments' must be an object");
        }
        if (sent == null) {
            ARGUMENTS_OF_OTHERS.stream()
                    .filter(rpc.params()::containsKey)
                    .findFirst()
                    .ifPresent(other -> {
                        throw RpcError.invalidParams(
                                "there is no parameter '" + other + "'; did you mean 'arguments'?");
                    });
        }
        var arguments = sent == null ? new BsonDocument() : sent.asDocument();
        rpc.observed(name);
        try (var record = records.begin(rpc, name, arguments)) {
            return run(new ToolCall(tool, arguments, rpc), record);
        }
    }

    /// The result of a call, or why it is refused.
    private BsonDocument run(ToolCall call, CallRecords.CallRecord record) {
        try {
            var result = record.of(
                    () -> {
                        try (var _ = records.count(call.credential())) {
                            call.tool().check(call.arguments());
                            return handlers.run(call);
                        }
                    },
                    problem -> refusal(call, problem));
            record.done(result);
            return result.withWarnings(call.http().require(FoundWarnings.KEY)).toBson();
        } catch (RefusedCall refused) {
            return ToolResult.error(refused.text());
        } catch (RpcError error) {
            record.malformed();
            throw error;
        }
    }

    private RefusedCall refusal(ToolCall call, Problem problem) {
        var id = call.http().id();
        LOG.debug("request {}: {} refused: {}", id, call.tool().toolName(), problem.message());
        return JudgedRequests.isNotPermitted(problem)
                ? calls.notPermitted(call)
                : RefusedCall.of(problem, call.arguments(), id);
    }

    private static RpcError unknown(String name, Set<Tool> offered) {
        var near = Nearest.question(
                Fence.cut(name), offered.stream().map(Tool::toolName).toList());
        var why = Tool.of(name)
                .map(tool -> tool.writes()
                        ? " here: mcp/read-only is true in the server's configuration, or mcp/tools leaves it out"
                        : " here: mcp/tools in the server's configuration leaves it out")
                .orElse(near);
        return RpcError.invalidParams("there is no tool " + Fence.quoted(name) + why + "; see tools/list");
    }

    /// The implementations of tools. Thread-safe.
    record Handlers(
            CatalogTools catalogs, ReadTools reads, ExplainTool explains, WatchTool watches, WriteTools writes) {
        /// @throws RefusedCall if a bound of the configuration or MongoDB does not allow it
        /// @throws org.restheart.http.ProblemException if the judged request is refused
        ToolResult run(ToolCall call) {
            return switch (call.tool()) {
                case LIST_DATABASES -> catalogs.listDatabases(call);
                case LIST_COLLECTIONS -> catalogs.listCollections(call);
                case COLLECTION_SCHEMA -> catalogs.schema(call);
                case COLLECTION_INDEXES -> catalogs.indexes(call);
                case FIND -> reads.find(call);
                case COUNT -> reads.count(call);
                case AGGREGATE -> reads.aggregate(call);
                case RUN_AGGREGATION -> reads.runAggregation(call);
                case EXPLAIN -> explains.explain(call);
                case WATCH -> watches.watch(call);
                case INSERT_MANY -> writes.insertMany(call);
                case UPDATE_MANY -> writes.updateMany(call);
                case DELETE_MANY -> writes.deleteMany(call);
                case UPDATE_DOCUMENT -> writes.updateDocument(call);
            };
        }
    }
}

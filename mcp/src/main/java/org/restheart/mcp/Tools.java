package org.restheart.mcp;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.Operation;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `tools/list` and `tools/call`. Thread-safe.
final class Tools {
    private static final Logger LOG = LoggerFactory.getLogger(Tools.class);

    private final Set<Tool> offered;
    private final VisibleCollections visible;
    private final CatalogTools catalogs;
    private final ReadTools reads;
    private final WatchTool watches;
    private final WriteTools writes;
    private final CallLimits limits;
    private final AuditLog audit;
    private final McpMeters meters;

    Tools(
            McpConfig config,
            VisibleCollections visible,
            CatalogTools catalogs,
            ReadTools reads,
            WatchTool watches,
            WriteTools writes,
            CallLimits limits,
            AuditLog audit,
            McpMeters meters) {
        this.offered = offered(config);
        this.visible = visible;
        this.catalogs = catalogs;
        this.reads = reads;
        this.watches = watches;
        this.writes = writes;
        this.limits = limits;
        this.audit = audit;
        this.meters = meters;
    }

    /// The enabled tools.
    private static Set<Tool> offered(McpConfig config) {
        var offered = EnumSet.noneOf(Tool.class);
        Arrays.stream(Tool.values())
                .filter(tool -> config.tools().isEmpty() || config.tools().contains(tool.toolName()))
                .filter(tool -> !tool.writes() || !config.isReadOnly())
                .forEach(offered::add);
        return Collections.unmodifiableSet(offered);
    }

    Set<Tool> offered() {
        return offered;
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
    BsonDocument call(Request http, RpcRequest rpc, PresentedCredential credential) {
        var name = rpc.text("name");
        var tool = Tool.of(name).filter(offered::contains).orElseThrow(() -> unknown(name));
        var sent = rpc.params().get("arguments");
        if (sent != null && !sent.isDocument()) {
            throw RpcError.invalidParams("'arguments' must be an object");
        }
        var arguments = sent == null ? new BsonDocument() : sent.asDocument();
        http.attribute(Operation.OBSERVER).ifPresent(observer -> observer.accept(new Operation(name, name)));
        var numbers = new LinkedHashMap<String, Long>();
        long began = System.nanoTime();
        var outcome = "failed";
        var counted = "failed";
        try (var _ = limits.begin(credential.principal())) {
            tool.check(arguments);
            var result = run(new ToolCall(tool, arguments, http, rpc, credential));
            numbers.put("documents", (long) result.documents());
            numbers.put("bytes", (long) result.bytes());
            meters.result(result);
            outcome = result.input().isPresent() || result.structured().containsKey("confirmation") ? "asked" : "done";
            counted = outcome;
            return result.toBson();
        } catch (RefusedCall refused) {
            outcome = refused.reason();
            counted = "refused";
            meters.refused(refused.reason());
            return ToolResult.error(refused.text());
        } catch (ProblemException problem) {
            var refused = RefusalMessages.of(problem.problem(), arguments, http.id());
            LOG.debug(
                    "request {}: {} refused: {}",
                    http.id(),
                    tool.toolName(),
                    problem.problem().message());
            outcome = refused.reason();
            counted = problem.problem().status() < 500 ? "refused" : "failed";
            meters.refused(refused.reason());
            return ToolResult.error(refused.text());
        } catch (RpcError error) {
            outcome = "malformed";
            counted = "refused";
            throw error;
        } finally {
            long nanos = System.nanoTime() - began;
            numbers.put("milliseconds", nanos / 1_000_000);
            meters.called(tool.toolName(), counted, nanos);
            audit.log(http, Optional.of(rpc), credential, name, arguments, outcome, Map.copyOf(numbers));
        }
    }

    private static RpcError unknown(String name) {
        return RpcError.invalidParams("there is no tool " + QuotedNames.quoted(name));
    }

    private ToolResult run(ToolCall call) {
        return switch (call.tool()) {
            case LIST_DATABASES -> catalogs.listDatabases(call);
            case LIST_COLLECTIONS -> catalogs.listCollections(call);
            case COLLECTION_SCHEMA -> catalogs.schema(call);
            case COLLECTION_INDEXES -> catalogs.indexes(call);
            case FIND -> reads.find(call);
            case COUNT -> reads.count(call);
            case AGGREGATE -> reads.aggregate(call);
            case RUN_AGGREGATION -> reads.runAggregation(call);
            case EXPLAIN -> reads.explain(call);
            case WATCH -> watches.watch(call);
            case INSERT_MANY -> writes.insertMany(call);
            case UPDATE_MANY -> writes.updateMany(call);
            case DELETE_MANY -> writes.deleteMany(call);
            case UPDATE_DOCUMENT -> writes.updateDocument(call);
        };
    }
}

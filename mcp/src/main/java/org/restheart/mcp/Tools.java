package org.restheart.mcp;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
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
    private final ToolHandlers handlers;
    private final CallRecords records;

    Tools(McpConfig config, VisibleCollections visible, ToolHandlers handlers, CallRecords records) {
        this.offered = offered(config);
        this.visible = visible;
        this.handlers = handlers;
        this.records = records;
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
        try (var record = records.begin(http, rpc, credential, name, arguments)) {
            return run(new ToolCall(tool, arguments, http, rpc, credential), record);
        }
    }

    private BsonDocument run(ToolCall call, CallRecord record) {
        try (var _ = records.count(call.credential())) {
            call.tool().check(call.arguments());
            var result = handlers.run(call);
            record.done(result);
            return result.toBson();
        } catch (RefusedCall refused) {
            record.refused(refused);
            return ToolResult.error(refused.text());
        } catch (ProblemException problem) {
            var http = call.http();
            var refused = RefusalMessages.of(problem.problem(), call.arguments(), http.id());
            LOG.debug(
                    "request {}: {} refused: {}",
                    http.id(),
                    call.tool().toolName(),
                    problem.problem().message());
            record.refused(refused, problem.problem());
            return ToolResult.error(refused.text());
        } catch (RpcError error) {
            record.malformed();
            throw error;
        }
    }

    private static RpcError unknown(String name) {
        return RpcError.invalidParams("there is no tool " + QuotedNames.quoted(name));
    }
}

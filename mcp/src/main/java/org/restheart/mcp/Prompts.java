package org.restheart.mcp;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Bundled;

/// Predefined prompts, from `prompts.json`. They contain no stored data; arguments are inserted in quotes.
final class Prompts {
    private static final BsonDocument ALL = Bundled.json(Prompts.class, "prompts.json");
    private static final int MAX_LENGTH = 4_096;

    private Prompts() {}

    static BsonDocument list() {
        var prompts = new BsonArray();
        ALL.forEach((name, prompt) -> {
            var described = prompt.asDocument();
            var title = described.getString("title");
            var arguments = new BsonArray();
            described
                    .getArray("arguments")
                    .forEach(argument ->
                            arguments.add(object("name", argument, "required", described.getBoolean("required"))));
            prompts.add(object("name", name, "title", title, "description", title, "arguments", arguments));
        });
        return object("prompts", prompts);
    }

    /// @throws RpcError for an unknown prompt, and for arguments that are missing or not strings
    static BsonDocument get(RpcRequest rpc) {
        var name = rpc.text("name");
        if (!(ALL.get(name) instanceof BsonDocument prompt)) {
            throw RpcError.invalidParams("there is no prompt " + Fence.quoted(name) + "; see prompts/list");
        }
        var given = rpc.params().get("arguments") instanceof BsonDocument sent ? sent : new BsonDocument();
        var values = prompt.getArray("arguments").stream()
                .map(argument -> value(prompt, given, argument.asString().getValue()))
                .toArray();
        var text = prompt.getString("text").getValue().formatted(values);
        var message = object("role", "user", "content", ToolResult.text(text));
        return object("description", prompt.getString("title"), "messages", array(message));
    }

    private static String value(BsonDocument prompt, BsonDocument given, String argument) {
        var value = Optional.<BsonValue>ofNullable(given.get(argument));
        if (value.isEmpty() && !prompt.getBoolean("required").getValue()) {
            return "that you find";
        }
        return value.filter(
                        text -> text.isString() && text.asString().getValue().length() <= MAX_LENGTH)
                .map(text -> Fence.json(text.asString().getValue()))
                .orElseThrow(() -> RpcError.invalidParams(
                        "'" + argument + "' must be a string of at most " + MAX_LENGTH + " characters"));
    }
}

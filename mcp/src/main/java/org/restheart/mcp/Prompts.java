package org.restheart.mcp;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/// Predefined prompts. They contain no stored data; arguments are inserted in quotes.
enum Prompts {
    EXPLORE_DATABASE(
            "explore-database",
            "What is in a database",
            "Find out what the database %s holds: list its collections, look at the schema of the important ones, and"
                    + " describe in a few sentences what the data is about and how collections refer to each other.",
            false,
            "database"),
    WRITE_QUERY(
            "write-query",
            "A query that answers a question",
            "Look at the schema and the indexes of collection %2$s in database %1$s. Then write a filter or a pipeline"
                    + " that answers this question, run it with a small limit, and explain the result: %3$s",
            true,
            "database",
            "collection",
            "question"),
    EXPLAIN_SLOW_QUERY(
            "explain-slow-query",
            "Why a query is slow",
            "Explain the plan of the filter %3$s on collection %2$s in database %1$s. Say whether an index serves it, how"
                    + " much is examined, and which index would help.",
            true,
            "database",
            "collection",
            "filter"),
    SUMMARISE_CHANGES(
            "summarise-changes",
            "What has changed lately",
            "Summarise the latest changes in collection %2$s of database %1$s, as its stream %3$s or its newest documents"
                    + " show them. Name what was added and changed; quote no more than is needed.",
            true,
            "database",
            "collection",
            "stream");

    private static final int MAX_LENGTH = 4_096;

    private final String promptName;
    private final String title;
    private final String template;
    private final boolean required;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of texts
    private final List<String> arguments;

    Prompts(String promptName, String title, String template, boolean required, String... arguments) {
        this.promptName = promptName;
        this.title = title;
        this.template = template;
        this.required = required;
        this.arguments = List.of(arguments);
    }

    static BsonDocument list() {
        var prompts = new BsonArray();
        for (var prompt : values()) {
            var arguments = new BsonArray();
            prompt.arguments.forEach(name -> arguments.add(object("name", name, "required", prompt.required)));
            prompts.add(object(
                    "name", prompt.promptName,
                    "title", prompt.title,
                    "description", prompt.title,
                    "arguments", arguments));
        }
        return object("prompts", prompts);
    }

    /// @throws RpcError for an unknown prompt, and for arguments that are missing or not strings
    static BsonDocument get(RpcRequest rpc) {
        var name = rpc.text("name");
        var prompt = Arrays.stream(values())
                .filter(known -> known.promptName.equals(name))
                .findFirst()
                .orElseThrow(() ->
                        RpcError.invalidParams("there is no prompt " + Fence.quoted(name) + "; see prompts/list"));
        var given = rpc.params().get("arguments") instanceof BsonDocument sent ? sent : new BsonDocument();
        var values = prompt.arguments.stream()
                .map(argument -> prompt.value(given, argument))
                .toArray();
        var message = object("role", "user", "content", ToolResult.text(prompt.template.formatted(values)));
        return object("description", prompt.title, "messages", array(message));
    }

    private String value(BsonDocument given, String argument) {
        var value = Optional.ofNullable(given.get(argument));
        if (value.isEmpty() && !required) {
            return "that you find";
        }
        return value.filter(
                        text -> text.isString() && text.asString().getValue().length() <= MAX_LENGTH)
                .map(text -> Fence.json(text.asString().getValue()))
                .orElseThrow(() -> RpcError.invalidParams(
                        "'" + argument + "' must be a string of at most " + MAX_LENGTH + " characters"));
    }
}

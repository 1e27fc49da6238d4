package org.restheart.mcp;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.text.ShortText;

/// The result of a call of a tool. Immutable by agreement.
///
/// @param summary text without stored data
/// @param data stored data, escaped lines of JSON for a [Fence]
/// @param structured the same for programs; may be empty
/// @param documents their number, for metrics and the audit log
/// @param bytes of data
/// @param cut the limits that were reached
/// @param input the question to the user, in place of a result
record ToolResult(
        String summary,
        Optional<String> data,
        BsonDocument structured,
        int documents,
        int bytes,
        List<String> cut,
        Optional<BsonDocument> input) {
    private static final int MAX_WARNING = 400;

    ToolResult {
        cut = List.copyOf(cut);
    }

    /// @param next from where another call goes on
    static ToolResult of(String summary, DataBlock block, Optional<String> next, McpConfig.Sizes sizes) {
        var structured = block.numbers();
        next.ifPresent(token -> structured.append("next", new BsonString(token)));
        if (sizes.structured()) {
            structured.append("documents", new BsonArray(block.documents()));
        }
        return new ToolResult(
                summary + next.map(token -> ". next: \"" + token + '"').orElse(""),
                Optional.of(block.text()),
                structured,
                block.count(),
                block.bytes(),
                List.copyOf(block.capped()),
                Optional.empty());
    }

    /// A small result, both as text and structured.
    static ToolResult of(String summary, BsonDocument data) {
        var json = Fence.escaped(JsonEncoder.of(JsonMode.RELAXED).encodeToString(data));
        return new ToolResult(summary, Optional.of(json), data, 0, json.length(), List.of(), Optional.empty());
    }

    /// A result with names that others have given. Unfenced are only numbers and the lengths of lists, unless stored
    /// data is wanted there.
    static ToolResult ofNames(String summary, BsonDocument data, McpConfig.Sizes sizes) {
        var result = of(summary, data);
        return sizes.structured() ? result : result.withStructured(numbers(data));
    }

    private static BsonDocument numbers(BsonDocument data) {
        var numbers = new BsonDocument();
        data.forEach((name, value) -> {
            if (value instanceof BsonArray list) {
                numbers.append(name, new BsonInt32(list.size()));
            } else if (value.isNumber() || value.isBoolean()) {
                numbers.append(name, value);
            }
        });
        return numbers;
    }

    /// A result without stored data.
    static ToolResult of(String summary) {
        return of(summary, Optional.empty());
    }

    /// @param input the question
    static ToolResult of(String summary, Optional<BsonDocument> input) {
        return new ToolResult(summary, Optional.empty(), new BsonDocument(), 0, 0, List.of(), input);
    }

    ToolResult with(String name, BsonValue value) {
        var more = structured.clone();
        more.append(name, value);
        return withStructured(more);
    }

    /// @param warnings about the arguments of the call, which they may quote
    ToolResult withWarnings(Collection<String> warnings) {
        if (warnings.isEmpty()) {
            return this;
        }
        var text = new StringBuilder(summary);
        warnings.forEach(
                warning -> text.append("\nWarning: ").append(Fence.escaped(ShortText.of(warning, MAX_WARNING))));
        return new ToolResult(text.toString(), data, structured, documents, bytes, cut, input);
    }

    private ToolResult withStructured(BsonDocument other) {
        return new ToolResult(summary, data, other, documents, bytes, cut, input);
    }

    BsonDocument toBson() {
        if (input.isPresent()) {
            return input.get();
        }
        var content = array(text(summary));
        data.ifPresent(lines -> content.add(text(Fence.around(lines))));
        var result = object("content", content);
        if (!structured.isEmpty()) {
            result.append("structuredContent", structured);
        }
        return result.append("isError", BsonBoolean.FALSE);
    }

    static BsonDocument error(String reason) {
        return object("content", array(text(reason)), "isError", true);
    }

    static BsonDocument text(String text) {
        return object("type", "text", "text", text);
    }
}

package org.restheart.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.json.JsonParseException;

/// The last lines of mongod's log in readable form: mongod writes one long JSON document per line.
final class LogEnd {
    private static final int BYTES = 64 << 10;
    private static final int LINES = 12;
    private static final int LINE_CHARACTERS = 400;

    private LogEnd() {}

    /// Errors and warnings if there are any, else whatever came last.
    ///
    /// @param from what was logged before that byte is left out
    static String of(Path log, long from) {
        try {
            var lines =
                    lastBytes(log, from).lines().filter(line -> !line.isBlank()).toList();
            var grave = lines.stream().filter(LogEnd::isGrave).toList();
            return "the end of " + log + ":\n" + condensed(grave.isEmpty() ? lines : grave);
        } catch (IOException e) {
            return "its log " + log + " cannot be read: " + e;
        }
    }

    private static String lastBytes(Path log, long from) throws IOException {
        try (var channel = FileChannel.open(log)) {
            var buffer = ByteBuffer.allocate(BYTES);
            channel.read(buffer, Math.max(from, channel.size() - BYTES));
            return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
        }
    }

    private static boolean isGrave(String line) {
        return !line.startsWith("{") || line.contains("\"s\":\"E\"") || line.contains("\"s\":\"F\"");
    }

    private static String condensed(List<String> lines) {
        return lines.stream()
                .skip(Math.max(0, lines.size() - LINES))
                .map(LogEnd::condensed)
                .map(line -> "  " + (line.length() > LINE_CHARACTERS ? line.substring(0, LINE_CHARACTERS) + "…" : line))
                .collect(Collectors.joining("\n"));
    }

    private static String condensed(String line) {
        if (!line.startsWith("{")) {
            return line;
        }
        try {
            var entry = BsonDocument.parse(line);
            var attributes =
                    entry.containsKey("attr") ? " " + entry.getDocument("attr").toJson() : "";
            return entry.getString("c").getValue() + ": "
                    + entry.getString("msg").getValue() + attributes;
        } catch (JsonParseException _) {
            return line; // cut off at the start, or not mongod's own
        }
    }
}

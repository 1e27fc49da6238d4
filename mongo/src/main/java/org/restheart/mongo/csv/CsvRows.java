package org.restheart.mongo.csv;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.mongo.content.LooseValue;

/// A CSV text as documents: the first line names the fields, every other one is a row. A cell is JSON if it can
/// be, else text; quotes protect separators and are part of the cell.
final class CsvRows {
    private static final int MAX_CELLS = 10_000;

    private CsvRows() {}

    static BsonArray parse(String text, CsvOptions options) {
        var rows = new BsonArray();
        var lines = text.lines().filter(line -> !line.isBlank()).iterator();
        if (!lines.hasNext()) {
            return rows;
        }
        var names = cells(lines.next(), options.separator()).stream()
                .map(CsvRows::unquoted)
                .toList();
        lines.forEachRemaining(line -> rows.add(row(names, cells(line, options.separator()), options)));
        return rows;
    }

    private static BsonDocument row(List<String> names, List<String> cells, CsvOptions options) {
        var row = new BsonDocument();
        for (int i = 0; i < cells.size(); i++) {
            var name = i < names.size() ? names.get(i) : "unnamed_" + (i - names.size());
            row.put(options.id().orElse(-1) == i ? "_id" : name, LooseValue.of(cells.get(i)));
        }
        for (int i = 0; i < options.properties().size(); i++) {
            row.put(options.properties().get(i), LooseValue.of(options.values().get(i)));
        }
        return row;
    }

    private static List<String> cells(String line, Pattern separator) {
        var cells = new ArrayList<String>();
        var matcher = separator.matcher(line);
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i < line.length() && cells.size() < MAX_CELLS; ) {
            if (line.charAt(i) == '"') {
                quoted = !quoted;
            }
            if (!quoted && matcher.region(i, line.length()).lookingAt() && matcher.end() > i) {
                cells.add(line.substring(start, i).strip());
                i = matcher.end();
                start = i;
            } else {
                i++;
            }
        }
        cells.add(line.substring(start).strip());
        return cells;
    }

    private static String unquoted(String name) {
        return name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")
                ? name.substring(1, name.length() - 1)
                : name;
    }
}

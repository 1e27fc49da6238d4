package org.restheart.mongo.service;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;
import org.restheart.mongo.content.Form;
import org.restheart.mongo.format.CsvReader;

/// Parses CSV text to documents: the first line names the fields, every other one is a row. A cell is parsed as JSON
/// if possible, else kept as a string; quotes protect separators and are part of the cell.
final class CsvRows {
    private static final int MAX_CELLS_PER_ROW = 10_000;

    /// Cells of all rows, including further properties: each takes some hundred bytes until the rows are stored.
    private static final int MAX_CELLS = 1_000_000;

    private static final String UNNAMED = "unnamed_";

    private CsvRows() {}

    static BsonArray parse(String text, CsvOptions options) {
        var rows = new BsonArray();
        var lines = withoutMark(text).lines().filter(line -> !line.isBlank()).iterator();
        if (!lines.hasNext()) {
            return rows;
        }
        var names = cells(lines.next(), options.separator()).stream()
                .map(CsvRows::unquoted)
                .toList();
        requireColumns(names, options);
        long total = 0;
        while (lines.hasNext()) {
            var row = row(names, cells(lines.next(), options.separator()), options);
            total += row.size() + 1;
            if (total > MAX_CELLS) {
                throw new ProblemException(
                        CONTENT_TOO_LARGE, "more than " + MAX_CELLS + " cells: load the rows in several files");
            }
            rows.add(row);
        }
        return rows;
    }

    private static String withoutMark(String text) {
        return !text.isEmpty() && text.charAt(0) == CsvReader.BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    /// @throws org.restheart.http.ProblemException 400 if the header contradicts the options or itself
    private static void requireColumns(List<String> names, CsvOptions options) {
        if (names.size() == 1
                && options.separatorGiven()
                && !options.separator().equals(",")) {
            CsvReader.anySeparatorIn(names.getFirst()).ifPresent(name -> {
                throw new ProblemException(
                        PARAMETER_INVALID,
                        "the first line does not have the separator " + ShortText.of(options.separator(), 20)
                                + ", but " + name + ": is that the separator? then say sep="
                                + (name.equals(";") ? "%3B" : name) + "; for a single column say sep=,");
            });
        }
        if (names.size() == 1 && !options.separatorGiven()) {
            CsvReader.separatorIn(names.getFirst()).ifPresent(name -> {
                throw new ProblemException(
                        PARAMETER_INVALID,
                        "the first line is one column, with " + name + " in it: is " + name
                                + " the separator? then add sep=" + (name.equals(";") ? "%3B" : name)
                                + " to the query, else sep=,");
            });
        }
        CsvReader.twice(names).ifPresent(name -> {
            throw new ProblemException(CONTENT_INVALID, "the first line names the column " + name + " twice");
        });
        int id = options.id().orElse(-1);
        if (id >= names.size()) {
            throw new ProblemException(
                    PARAMETER_INVALID,
                    "id is column " + id + ", counted from 0, but the first line has " + names.size()
                            + (names.size() == 1 ? " column" : " columns"));
        }
    }

    /// How many rows have more cells than the first line names.
    static long wider(BsonArray rows) {
        return rows.stream()
                .filter(row -> row.asDocument().containsKey(UNNAMED + 0))
                .count();
    }

    private static BsonDocument row(List<String> names, List<String> cells, CsvOptions options) {
        var row = new BsonDocument();
        for (int i = 0; i < cells.size(); i++) {
            var name = i < names.size() ? names.get(i) : UNNAMED + (i - names.size());
            row.put(options.id().orElse(-1) == i ? "_id" : name, Form.cell(cells.get(i)));
        }
        for (int i = 0; i < options.properties().size(); i++) {
            row.put(options.properties().get(i), Form.cell(options.values().get(i)));
        }
        return row;
    }

    private static List<String> cells(String line, String separator) {
        var cells = new ArrayList<String>();
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i < line.length() && cells.size() < MAX_CELLS_PER_ROW; ) {
            if (line.charAt(i) == '"') {
                quoted = !quoted;
            }
            if (!quoted && line.startsWith(separator, i)) {
                cells.add(line.substring(start, i).strip());
                i += separator.length();
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

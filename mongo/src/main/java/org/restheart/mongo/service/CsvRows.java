package org.restheart.mongo.service;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;
import org.restheart.mongo.content.Form;
import org.restheart.mongo.format.CsvRecords;
import org.restheart.mongo.format.CsvRecords.Cell;

/// Parses CSV to documents: the first record names the fields, every other one is a row. A cell is parsed as JSON if
/// possible, else kept as a string; one in quotes only if it is an object or an array.
final class CsvRows {
    /// Cells of all rows, including further properties: each takes some hundred bytes until the rows are stored.
    private static final int MAX_CELLS = 1_000_000;

    private static final String UNNAMED = "unnamed_";

    private CsvRows() {}

    /// @throws ProblemException 400, 413
    static BsonArray parse(InputStream csv, CsvOptions options) throws IOException {
        var rows = new BsonArray();
        var records = new CsvRecords(csv, options.separator());
        var header = records.next();
        if (header == null) {
            return rows;
        }
        var names = header.cells().stream()
                .map(cell -> cell.quoted() ? cell.text() : cell.text().strip())
                .toList();
        requireColumns(names, options);
        long total = 0;
        for (var record = records.next(); record != null; record = records.next()) {
            var row = row(names, record.cells(), options);
            total += row.size() + 1;
            if (total > MAX_CELLS) {
                throw new ProblemException(
                        CONTENT_TOO_LARGE, "more than " + MAX_CELLS + " cells: load the rows in several files");
            }
            rows.add(row);
        }
        return rows;
    }

    /// @throws org.restheart.http.ProblemException 400 if the header contradicts the options or itself
    private static void requireColumns(List<String> names, CsvOptions options) {
        if (names.size() == 1
                && options.separatorGiven()
                && !options.separator().equals(",")) {
            var only = names.getFirst();
            CsvRecords.separatorIn(only)
                    .or(() -> only.contains(",") ? Optional.of(",") : Optional.empty())
                    .ifPresent(name -> {
                        throw new ProblemException(
                                PARAMETER_INVALID,
                                "the first line does not have the separator " + ShortText.of(options.separator(), 20)
                                        + ", but " + name + ": is that the separator? then say sep="
                                        + (name.equals(";") ? "%3B" : name) + "; for a single column say sep=,");
                    });
        }
        if (names.size() == 1 && !options.separatorGiven()) {
            CsvRecords.separatorIn(names.getFirst()).ifPresent(name -> {
                throw new ProblemException(
                        PARAMETER_INVALID,
                        "the first line is one column, with " + name + " in it: is " + name
                                + " the separator? then add sep=" + (name.equals(";") ? "%3B" : name)
                                + " to the query, else sep=,");
            });
        }
        CsvRecords.twice(names).ifPresent(name -> {
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

    private static BsonDocument row(List<String> names, List<Cell> cells, CsvOptions options) {
        var row = new BsonDocument();
        for (int i = 0; i < cells.size(); i++) {
            var name = i < names.size() ? names.get(i) : UNNAMED + (i - names.size());
            row.put(options.id().orElse(-1) == i ? "_id" : name, value(cells.get(i)));
        }
        for (int i = 0; i < options.properties().size(); i++) {
            row.put(options.properties().get(i), Form.cell(options.values().get(i)));
        }
        return row;
    }

    /// In quotes, only objects and arrays are JSON.
    private static BsonValue value(Cell cell) {
        boolean isText =
                cell.quoted() && !cell.text().startsWith("{") && !cell.text().startsWith("[");
        return isText ? new BsonString(cell.text()) : Form.cell(cell.text());
    }
}

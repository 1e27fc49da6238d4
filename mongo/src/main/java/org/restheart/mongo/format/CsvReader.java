package org.restheart.mongo.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Reads a document from each record of a CSV file (RFC 4180). The first record names the fields, each perhaps with a
/// type: `age:int`. Cells without a type are what they look like; those in quotes are text, unless they are JSON
/// objects or arrays; empty ones are left out.
public final class CsvReader implements DocumentReader {
    private static final int MAX_CELLS = 10_000;

    /// Characters of the name of a field, and of all names: every document repeats them.
    private static final int MAX_NAME = 1_000;

    private static final int MAX_NAMES = 64 << 10;

    private final Reader in;
    private @Nullable List<CsvColumn> columns;
    private long line = 1;
    private int pending = -1;

    public CsvReader(InputStream in) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()), 64 << 10);
    }

    /// @param quoted whether it stood in quotes
    record Cell(String text, boolean quoted) {}

    @Override
    public @Nullable Entry next() throws IOException {
        try {
            if (columns == null) {
                var header = cells();
                if (header == null) {
                    return null;
                }
                checkNames(header);
                columns = header.stream().map(CsvColumn::parse).toList();
            }
            long number = line;
            var cells = cells();
            while (cells != null && isBlank(cells)) {
                number = line;
                cells = cells();
            }
            return cells == null ? null : entry(number, columns, cells);
        } catch (CharacterCodingException _) {
            throw broken("is not UTF-8");
        }
    }

    private void checkNames(List<Cell> header) {
        int all = 0;
        for (var cell : header) {
            int length = cell.text().length();
            all += length;
            if (length > MAX_NAME || all > MAX_NAMES) {
                throw broken("names a field with more than " + MAX_NAME + " characters, or fields with more than "
                        + MAX_NAMES + " together");
            }
        }
    }

    private static boolean isBlank(List<Cell> cells) {
        return cells.size() == 1
                && cells.getFirst().text().isBlank()
                && !cells.getFirst().quoted();
    }

    private static Entry entry(long number, List<CsvColumn> columns, List<Cell> cells) {
        var row = new BsonDocument();
        try {
            for (int i = 0; i < cells.size(); i++) {
                var column = i < columns.size() ? columns.get(i) : CsvColumn.unnamed(i - columns.size());
                column.value(cells.get(i)).ifPresent(value -> row.put(column.name(), value));
            }
            return new Entry.Parsed(number, row);
        } catch (IllegalArgumentException e) {
            return new Entry.Malformed(number, Problem.of(CONTENT_INVALID, "Invalid CSV. " + e.getMessage()));
        }
    }

    /// The cells of the next record; null at the end.
    private @Nullable List<Cell> cells() throws IOException {
        int next = read();
        if (next < 0) {
            return null;
        }
        var cells = new ArrayList<Cell>();
        var text = new StringBuilder();
        boolean quoted = false;
        boolean open = false;
        long length = 0;
        for (; open || (next >= 0 && next != '\n'); next = read()) {
            if (++length > MAX_LENGTH || cells.size() > MAX_CELLS) {
                throw Problem.of(CONTENT_TOO_LARGE, "a record is longer than 16 MiB or " + MAX_CELLS + " cells")
                        .raise();
            }
            if (next < 0) {
                throw broken("has a quote that is not closed");
            } else if (next == '"' && open) {
                open = peek() == '"';
                if (open) {
                    text.append((char) read());
                }
            } else if (next == '"' && text.isEmpty()) {
                quoted = true;
                open = true;
            } else if (next == ',' && !open) {
                cells.add(new Cell(text.toString(), quoted));
                text.setLength(0);
                quoted = false;
            } else {
                text.append((char) next);
            }
            if (next == '\n') {
                line++;
            }
        }
        line++;
        if (!text.isEmpty() && text.charAt(text.length() - 1) == '\r') {
            text.setLength(text.length() - 1);
        }
        cells.add(new Cell(text.toString(), quoted));
        return cells;
    }

    private int read() throws IOException {
        int next = pending >= 0 ? pending : in.read();
        pending = -1;
        return next;
    }

    private int peek() throws IOException {
        pending = in.read();
        return pending;
    }

    private ProblemException broken(String reason) {
        return Problem.of(CONTENT_INVALID, "Invalid CSV. Line " + line + " " + reason + ".")
                .raise();
    }
}

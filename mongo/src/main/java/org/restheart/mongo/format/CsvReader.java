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
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.LongDigits;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Nearest;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;

/// Reads a document from each record of a CSV file (RFC 4180). The first record names the fields, each perhaps
/// with a type: `age:int`. Cells without a type are what they look like; those in quotes are text, unless they
/// are JSON objects or arrays; empty ones are left out. A first record with signs of another separator, of a
/// misspelt type or of a name used twice is refused; a byte order mark before it is skipped.
public final class CsvReader implements DocumentReader {
    /// What some programs write before the first line, Excel among them.
    public static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final List<String> OTHER_SEPARATORS = List.of(";", "\t", "|");
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
                var header = header();
                if (header == null) {
                    return null;
                }
                columns = columns(header);
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

    /// The first record; null if no other follows.
    private @Nullable List<Cell> header() throws IOException {
        if (peek() == BYTE_ORDER_MARK) {
            read();
        }
        var header = cells();
        if (header == null) {
            return null;
        }
        checkNames(header);
        var first = header.getFirst();
        if (!first.quoted() && (first.text().startsWith("{") || first.text().startsWith("[{"))) {
            throw refusal("The content is JSON: documents in lines have the Content-Type application/x-ndjson, an array"
                    + " of them application/json.");
        }
        return peek() < 0 ? null : header;
    }

    private static List<CsvColumn> columns(List<Cell> header) {
        var only = header.getFirst();
        if (header.size() == 1 && !only.quoted()) {
            separatorIn(only.text()).ifPresent(separator -> {
                throw refusal("The first line is one column, with " + separator
                        + " in it. Cells are separated by commas"
                        + " here; POST /csv takes others, with sep= in the query. A name that contains " + separator
                        + " stands in quotes.");
            });
        }
        for (var cell : header) {
            CsvColumn.misspeltType(cell).ifPresent(text -> {
                throw refusal(text);
            });
        }
        var columns = header.stream().map(CsvColumn::parse).toList();
        twice(columns.stream().map(CsvColumn::name).toList()).ifPresent(name -> {
            throw refusal("The first line names the column " + name + " twice.");
        });
        return columns;
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(CONTENT_INVALID, "Invalid CSV. " + text);
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
                var cell = cells.get(i);
                if (i < columns.size()) {
                    var column = columns.get(i);
                    column.value(cell).ifPresent(value -> row.put(column.name(), value));
                } else if (!cell.text().isEmpty()) {
                    throw new IllegalArgumentException("The row has " + cells.size() + " cells, the first line "
                            + columns.size() + "; text with a comma stands in quotes.");
                }
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
        long opened = line;
        long length = 0;
        for (; open || (next >= 0 && next != '\n'); next = read()) {
            if (++length > MAX_LENGTH || cells.size() > MAX_CELLS) {
                throw new ProblemException(
                        CONTENT_TOO_LARGE, "a record is longer than 16 MiB or " + MAX_CELLS + " cells");
            }
            if (next < 0) {
                throw refusal("The quote that opens in line " + opened + " is not closed.");
            } else if (next == '"' && open) {
                open = peek() == '"';
                if (open) {
                    text.append((char) read());
                }
            } else if (next == '"' && text.isEmpty()) {
                quoted = true;
                open = true;
                opened = line;
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
        if (pending < 0) {
            pending = in.read();
        }
        return pending;
    }

    private ProblemException broken(String reason) {
        return new ProblemException(CONTENT_INVALID, "Invalid CSV. Line " + line + " " + reason + ".");
    }

    /// The separator that the author of a first line of one column probably meant, `\t` for a tab.
    public static Optional<String> separatorIn(String name) {
        return OTHER_SEPARATORS.stream()
                .filter(name::contains)
                .map(separator -> separator.equals("\t") ? "\\t" : separator)
                .findFirst();
    }

    /// As [#separatorIn], where a comma is not the separator either.
    public static Optional<String> anySeparatorIn(String name) {
        return separatorIn(name).or(() -> name.contains(",") ? Optional.of(",") : Optional.empty());
    }

    /// The first name that occurs more than once, of which the last column would count.
    public static Optional<String> twice(List<String> names) {
        var seen = new HashSet<String>();
        return names.stream().filter(name -> !name.isEmpty() && !seen.add(name)).findFirst();
    }

    /// A column of a CSV file, whose header is a name or `name:type`.
    record CsvColumn(String name, Type type) {
        enum Type {
            AUTO,
            STRING,
            INT,
            LONG,
            DOUBLE,
            DECIMAL,
            BOOL,
            DATE,
            OID,
            JSON
        }

        private static final Set<String> TYPES = Arrays.stream(Type.values())
                .filter(type -> type != Type.AUTO)
                .map(type -> type.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());

        /// A message about a type that is similar to a known one, which would become part of the name.
        static Optional<String> misspeltType(Cell header) {
            var text = header.text().strip();
            int colon = text.lastIndexOf(':');
            var type = text.substring(colon + 1);
            return colon <= 0 || TYPES.contains(type)
                    ? Optional.empty()
                    : Nearest.to(type, TYPES)
                            .map(near -> "The column " + text + " has the unknown type " + type + "; did you mean "
                                    + near + "? (A name that ends so is followed by its type, as in " + text
                                    + ":string.)");
        }

        static CsvColumn parse(Cell header) {
            var text = header.text().strip();
            int colon = text.lastIndexOf(':');
            if (colon > 0) {
                for (var type : Type.values()) {
                    if (type != Type.AUTO
                            && type.name().toLowerCase(Locale.ROOT).equals(text.substring(colon + 1))) {
                        return new CsvColumn(text.substring(0, colon), type);
                    }
                }
            }
            return new CsvColumn(text, Type.AUTO);
        }

        /// Empty for a cell that is left out.
        ///
        /// @throws IllegalArgumentException saying which column cannot have this cell
        Optional<BsonValue> value(Cell cell) {
            if (cell.text().isEmpty() && !cell.quoted()) {
                return Optional.empty();
            }
            try {
                return Optional.of(
                        type == Type.AUTO
                                ? auto(cell)
                                : typed(
                                        cell.quoted()
                                                ? cell.text()
                                                : cell.text().strip()));
            } catch (IllegalArgumentException | DateTimeException | MalformedJsonException e) {
                throw new IllegalArgumentException(
                        "The column " + name + " has a cell that is no "
                                + type.name().toLowerCase(Locale.ROOT) + ": " + ShortText.of(cell.text(), 50)
                                + (type == Type.DATE ? " (as 2024-03-12 or 2024-03-12T21:14:22Z)." : "."),
                        e);
            }
        }

        private BsonValue typed(String text) {
            return switch (type) {
                case STRING, AUTO -> new BsonString(text);
                case INT -> new BsonInt32(Integer.parseInt(text));
                case LONG -> new BsonInt64(Long.parseLong(text));
                case DOUBLE -> new BsonDouble(Double.parseDouble(text));
                case DECIMAL -> new BsonDecimal128(LongDigits.decimal128(text));
                case BOOL -> bool(text);
                case DATE -> new BsonDateTime(date(text).toEpochMilli());
                case OID -> new BsonObjectId(new ObjectId(text));
                case JSON -> JsonParser.parse(text);
            };
        }

        private static BsonValue bool(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "true" -> BsonBoolean.TRUE;
                case "false" -> BsonBoolean.FALSE;
                default -> throw new IllegalArgumentException(text);
            };
        }

        private static Instant date(String text) {
            return text.indexOf('T') < 0
                    ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : Instant.parse(text);
        }

        private static BsonValue auto(Cell cell) {
            var text = cell.quoted() ? cell.text() : cell.text().strip();
            boolean structured = text.startsWith("{") || text.startsWith("[");
            if (structured || (!cell.quoted() && isLiteral(text))) {
                try {
                    return JsonParser.parse(text);
                } catch (MalformedJsonException _) { // text that only looks like it
                    return new BsonString(text);
                }
            }
            return new BsonString(text);
        }

        /// JSON's own: `007` and `NaN` are text.
        private static boolean isLiteral(String text) {
            return text.equals("true")
                    || text.equals("false")
                    || text.equals("null")
                    || text.matches("-?(0|[1-9]\\d{0,308})(\\.\\d{1,308})?([eE][+-]?\\d{1,3})?");
        }
    }
}

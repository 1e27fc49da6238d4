package org.restheart.rest.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
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
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.LongDigits;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.rest.format.CsvRecords.Cell;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;

/// Reads a document from each record of a CSV file, as [Csv] writes it. The first record names the fields, each perhaps
/// with a type: `age:int`. Cells without a type are what they look like; those in quotes are text, unless they
/// are JSON objects or arrays; empty ones are left out. A first record with signs of another separator, of a
/// misspelt type or of a name used twice is refused.
public final class CsvReader implements DocumentReader {
    /// Characters of the name of a field, and of all names: every document repeats them.
    private static final int MAX_NAME = 1_000;

    private static final int MAX_NAMES = 64 << 10;

    private final CsvRecords records;
    private final boolean separatedByCommas;
    private @Nullable List<CsvColumn> columns;

    public CsvReader(InputStream in) {
        this(in, ",");
    }

    private CsvReader(InputStream in, String separator) {
        this.records = new CsvRecords(in, separator);
        this.separatedByCommas = separator.equals(",");
    }

    /// Reads `text/tab-separated-values`, in which cells may stand in quotes too.
    public static CsvReader ofTabs(InputStream in) {
        return new CsvReader(in, "\t");
    }

    @Override
    public @Nullable Entry next() throws IOException {
        if (columns == null) {
            var header = records.next();
            if (header == null) {
                return null;
            }
            checkNames(header);
            var row = records.next();
            columns = row == null ? null : columns(header.cells());
            return row == null || columns == null ? null : entry(row, columns);
        }
        var row = records.next();
        return row == null ? null : entry(row, columns);
    }

    private List<CsvColumn> columns(List<Cell> header) {
        var only = header.getFirst();
        if (separatedByCommas && header.size() == 1 && !only.quoted()) {
            CsvRecords.separatorIn(only.text()).ifPresent(separator -> {
                throw refusal("The first line is one column, with " + separator
                        + " in it. Cells are separated by commas"
                        + " here; POST /csv takes others, with sep= in the query. A name that contains " + separator
                        + " stands in quotes.");
            });
        }
        for (var cell : header) {
            CsvColumn.misspeltType(CsvColumn.text(cell)).ifPresent(text -> {
                throw refusal(text);
            });
        }
        var columns = header.stream().map(CsvColumn::text).map(CsvColumn::parse).toList();
        CsvRecords.twice(columns.stream().map(CsvColumn::name).toList()).ifPresent(name -> {
            throw refusal("The first line names the column " + name + " twice.");
        });
        return columns;
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(CONTENT_INVALID, "Invalid CSV. " + text);
    }

    private static void checkNames(CsvRecords.Row header) {
        int all = 0;
        for (var cell : header.cells()) {
            int length = cell.text().length();
            all += length;
            if (length > MAX_NAME || all > MAX_NAMES) {
                throw refusal("Line " + header.line() + " names a field with more than " + MAX_NAME
                        + " characters, or fields with more than " + MAX_NAMES + " together.");
            }
        }
        var first = header.cells().getFirst();
        if (!first.quoted() && (first.text().startsWith("{") || first.text().startsWith("[{"))) {
            throw refusal("The content is JSON: documents in lines have the Content-Type application/x-ndjson, an array"
                    + " of them application/json.");
        }
    }

    private static Entry entry(CsvRecords.Row record, List<CsvColumn> columns) {
        var cells = record.cells();
        var row = new BsonDocument();
        try {
            for (int i = 0; i < cells.size(); i++) {
                var cell = cells.get(i);
                if (i < columns.size()) {
                    var column = columns.get(i);
                    column.value(cell).ifPresent(value -> {
                        if (row.put(column.name(), value) != null) {
                            throw new IllegalArgumentException("Two columns without a name have cells.");
                        }
                    });
                } else if (!cell.text().isEmpty()) {
                    throw new IllegalArgumentException("The row has " + cells.size() + " cells, the first line "
                            + columns.size() + "; text with a comma stands in quotes.");
                }
            }
            return new Entry.Parsed(record.line(), row);
        } catch (IllegalArgumentException e) {
            return new Entry.Malformed(record.line(), Problem.of(CONTENT_INVALID, "Invalid CSV. " + e.getMessage()));
        }
    }

    /// What a cell without quotes is, if it is not text: JSON's own words and numbers (`007` and `NaN` are text).
    /// Blanks around them do not count. Integers beyond 64 bits stay text, so that no digit is lost.
    static Optional<BsonValue> literal(String cell) {
        var text = cell.strip();
        return switch (text) {
            case "true" -> Optional.of(BsonBoolean.TRUE);
            case "false" -> Optional.of(BsonBoolean.FALSE);
            case "null" -> Optional.of(BsonNull.VALUE);
            default ->
                text.matches("-?(0|[1-9]\\d{0,308})(\\.\\d{1,400})?([eE][+-]?\\d{1,3})?")
                        ? number(text)
                        : Optional.empty();
        };
    }

    private static Optional<BsonValue> number(String text) {
        if (text.matches(".*[.eE].*")) {
            return Optional.of(new BsonDouble(Double.parseDouble(text)));
        }
        try {
            long value = Long.parseLong(text);
            return Optional.of(value == (int) value ? new BsonInt32((int) value) : new BsonInt64(value));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
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
                .map(type -> type.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());

        /// The name and type of a cell of the header: blanks count in quotes only.
        static String text(Cell header) {
            return header.quoted() ? header.text() : header.text().strip();
        }

        /// A message about a type that is similar to a known one, which would become part of the name.
        static Optional<String> misspeltType(String header) {
            int colon = header.lastIndexOf(':');
            var type = header.substring(colon + 1);
            return colon <= 0 || TYPES.contains(type)
                    ? Optional.empty()
                    : Nearest.to(type, TYPES)
                            .map(near -> "The column " + header + " has the unknown type " + type + "; did you mean "
                                    + near + "? (A name that ends so is followed by its type, as in " + header
                                    + ":string.)");
        }

        static CsvColumn parse(String header) {
            int colon = header.lastIndexOf(':');
            var type = header.substring(colon + 1);
            return colon > 0 && TYPES.contains(type)
                    ? new CsvColumn(header.substring(0, colon), Type.valueOf(type.toUpperCase(Locale.ROOT)))
                    : new CsvColumn(header, Type.AUTO);
        }

        /// The header of a column whose cells are what they look like.
        static String header(String name) {
            return parse(name).name().equals(name) && misspeltType(name).isEmpty() ? name : name + ":auto";
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
                case JSON -> json(text);
            };
        }

        /// Documents and arrays stay bytes: a cell may have millions of values.
        private static BsonValue json(String text) {
            return JsonParser.parseMember(text.getBytes(StandardCharsets.UTF_8));
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
            var text = cell.text();
            if (text.startsWith("{") || text.startsWith("[")) {
                try {
                    return json(text);
                } catch (MalformedJsonException _) { // text that only looks like it
                    return new BsonString(text);
                }
            }
            return (cell.quoted() ? Optional.<BsonValue>empty() : literal(text)).orElseGet(() -> new BsonString(text));
        }
    }
}

package org.restheart.mongo.format;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.bson.JsonParser;
import org.restheart.bson.LongDigits;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Nearest;
import org.restheart.http.ShortText;

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
    static Optional<String> misspeltType(CsvReader.Cell header) {
        var text = header.text().strip();
        int colon = text.lastIndexOf(':');
        var type = text.substring(colon + 1);
        return colon <= 0 || TYPES.contains(type)
                ? Optional.empty()
                : Nearest.to(type, TYPES)
                        .map(near -> "The column " + text + " has the unknown type " + type + "; did you mean " + near
                                + "? (A name that ends so is followed by its type, as in " + text + ":string.)");
    }

    static CsvColumn parse(CsvReader.Cell header) {
        var text = header.text().strip();
        int colon = text.lastIndexOf(':');
        if (colon > 0) {
            for (var type : Type.values()) {
                if (type != Type.AUTO && type.name().toLowerCase(Locale.ROOT).equals(text.substring(colon + 1))) {
                    return new CsvColumn(text.substring(0, colon), type);
                }
            }
        }
        return new CsvColumn(text, Type.AUTO);
    }

    /// Empty for a cell that is left out.
    ///
    /// @throws IllegalArgumentException saying which column cannot have this cell
    Optional<BsonValue> value(CsvReader.Cell cell) {
        if (cell.text().isEmpty() && !cell.quoted()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    type == Type.AUTO
                            ? auto(cell)
                            : typed(cell.quoted() ? cell.text() : cell.text().strip()));
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

    private static BsonValue auto(CsvReader.Cell cell) {
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

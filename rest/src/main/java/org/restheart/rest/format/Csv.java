package org.restheart.rest.format;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.Utf8Buffer;
import org.restheart.rest.format.CsvReader.CsvColumn;

/// One row per document under a header of column names (RFC 4180). Strings are written unchanged, in quotes where they
/// would be read as something else, ids in hexadecimal, dates in ISO 8601, documents and arrays as JSON. Missing values
/// and nulls are empty.
///
/// @param columns names of fields, or paths such as `address.city`
/// @param isPlain whether values are those of plain JSON, so that an import does not get all types back
public record Csv(List<String> columns, boolean isPlain) implements DocumentFormat {
    public static final String MEDIA_TYPE = "text/csv";

    /// The same with tabs, which is read only.
    public static final String TABS = "text/tab-separated-values";

    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);
    private static final JsonEncoder PLAIN = JsonEncoder.of(JsonMode.PLAIN);
    private static final String END_OF_ROW = "\r\n";

    @Override
    public String mediaType() {
        return MEDIA_TYPE + "; charset=UTF-8";
    }

    @Override
    public void begin(Utf8Buffer out) {
        for (int i = 0; i < columns.size(); i++) {
            var header = CsvColumn.header(columns.get(i));
            boolean alike = CsvRecords.separatorIn(header).isPresent() || header.startsWith("\uFEFF");
            cell(header, alike || isAmbiguous(header), i, out);
        }
        if (!columns.isEmpty()) {
            out.ascii(END_OF_ROW);
        }
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        for (int i = 0; i < columns.size(); i++) {
            var value = valueAt(document, columns.get(i));
            var text = value.map(isPlain ? Csv::plainText : Csv::text).orElse("");
            cell(text, value.filter(BsonValue::isString).isPresent() && isAmbiguous(text), i, out);
        }
        out.ascii(END_OF_ROW);
    }

    /// Whether text would be read as something else without quotes, by [CsvReader] or by readers that trim cells.
    private static boolean isAmbiguous(String text) {
        return text.isEmpty()
                || !text.strip().equals(text)
                || text.charAt(0) == '{'
                || text.charAt(0) == '['
                || CsvReader.literal(text).isPresent();
    }

    private static void cell(String text, boolean quoted, int column, Utf8Buffer out) {
        if (column > 0) {
            out.put((byte) ',');
        }
        out.text(
                quoted || text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n')
                        ? '"' + text.replace("\"", "\"\"") + '"'
                        : text);
    }

    private static Optional<BsonValue> valueAt(BsonDocument document, String path) {
        var value = document.get(path);
        if (value != null) {
            return Optional.of(value);
        }
        int dot = path.indexOf('.');
        var parent = dot < 0 ? null : document.get(path.substring(0, dot));
        return parent != null && parent.isDocument()
                ? valueAt(parent.asDocument(), path.substring(dot + 1))
                : Optional.empty();
    }

    private static String text(BsonValue value) {
        return switch (value.getBsonType()) {
            case NULL, UNDEFINED -> "";
            case STRING -> value.asString().getValue();
            case OBJECT_ID -> value.asObjectId().getValue().toHexString();
            case DATE_TIME ->
                Instant.ofEpochMilli(value.asDateTime().getValue()).toString();
            case DECIMAL128 -> value.asDecimal128().getValue().toString();
            case DOUBLE -> Double.toString(value.asDouble().getValue());
            default -> JSON.encodeToString(value);
        };
    }

    private static String plainText(BsonValue value) {
        if (value.isString()) {
            return value.asString().getValue();
        }
        var json = PLAIN.encodeToString(value);
        if (json.startsWith("\"")) {
            return JsonParser.parseOne(json).orElseThrow().asString().getValue();
        }
        return json.equals("null") ? "" : json;
    }
}

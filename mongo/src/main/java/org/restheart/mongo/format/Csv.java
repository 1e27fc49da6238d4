package org.restheart.mongo.format;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;

/// One row per document under a header of column names (RFC 4180). Strings are written unchanged, ids in
/// hexadecimal, dates in ISO 8601, documents and arrays as JSON. Missing values and nulls are empty.
///
/// @param columns names of fields, or paths such as `address.city`
public record Csv(List<String> columns) implements DocumentFormat {
    public static final String MEDIA_TYPE = "text/csv";

    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);
    private static final String END_OF_ROW = "\r\n";

    @Override
    public String mediaType() {
        return MEDIA_TYPE + "; charset=UTF-8";
    }

    @Override
    public void begin(Utf8Buffer out) {
        for (int i = 0; i < columns.size(); i++) {
            cell(columns.get(i), i, out);
        }
        if (!columns.isEmpty()) {
            out.ascii(END_OF_ROW);
        }
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        for (int i = 0; i < columns.size(); i++) {
            cell(valueAt(document, columns.get(i)).map(Csv::text).orElse(""), i, out);
        }
        out.ascii(END_OF_ROW);
    }

    private static void cell(String text, int column, Utf8Buffer out) {
        if (column > 0) {
            out.put((byte) ',');
        }
        boolean quoted = text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
        out.text(quoted ? '"' + text.replace("\"", "\"\"") + '"' : text);
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
}

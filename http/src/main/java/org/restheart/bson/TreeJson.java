package org.restheart.bson;

import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonRegularExpression;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/// Writes trees of BSON values as JSON; documents in them that are still bytes go to [RawJson].
///
/// @param out confined to one thread
record TreeJson(JsonFormat format, Utf8Buffer out) {

    /// @param depth how many documents and arrays the value is in
    void value(BsonValue value, int depth) {
        switch (value.getBsonType()) {
            case DOUBLE -> format.float64(value.asDouble().getValue(), out);
            case STRING -> JsonStrings.quote(value.asString().getValue(), out);
            case DOCUMENT -> document(value.asDocument(), depth);
            case ARRAY -> array(value.asArray(), depth);
            case BINARY -> binary(value.asBinary());
            case UNDEFINED -> format.undefined(out);
            case OBJECT_ID -> format.objectId(value.asObjectId().getValue().toByteArray(), 0, out);
            case BOOLEAN -> out.ascii(value.asBoolean().getValue() ? "true" : "false");
            case DATE_TIME -> format.date(value.asDateTime().getValue(), out);
            case NULL -> out.ascii("null");
            case REGULAR_EXPRESSION -> regex(value.asRegularExpression());
            case DB_POINTER -> dbPointer(value.asDBPointer());
            case JAVASCRIPT -> wrapped("{\"$code\": ", value.asJavaScript().getCode());
            case SYMBOL -> wrapped("{\"$symbol\": ", value.asSymbol().getSymbol());
            case JAVASCRIPT_WITH_SCOPE -> codeWithScope(value.asJavaScriptWithScope(), depth);
            case INT32 -> format.int32(value.asInt32().getValue(), out);
            case TIMESTAMP -> timestamp(value.asTimestamp());
            case INT64 -> format.int64(value.asInt64().getValue(), out);
            case DECIMAL128 -> format.decimal128(value.asDecimal128().getValue(), out);
            case MIN_KEY -> format.minKey(out);
            case MAX_KEY -> format.maxKey(out);
            case END_OF_DOCUMENT -> throw new IllegalArgumentException("the end of a document is not a value");
        }
    }

    private void document(BsonDocument document, int depth) {
        if (document instanceof RawBsonDocument raw) {
            int from = raw.getByteOffset();
            new RawJson(raw.getBackingArray(), from, format, out).document(from + raw.getByteLength(), depth);
            return;
        }
        descend(depth);
        out.put('{');
        boolean first = true;
        for (var field : document.entrySet()) {
            if (!first) {
                out.ascii(", ");
            }
            first = false;
            out.quoted(field.getKey()).ascii(": ");
            value(field.getValue(), depth + 1);
        }
        out.put('}');
    }

    private void array(BsonArray array, int depth) {
        descend(depth);
        out.put('[');
        boolean first = true;
        for (var element : array) {
            if (!first) {
                out.ascii(", ");
            }
            first = false;
            value(element, depth + 1);
        }
        out.put(']');
    }

    private static void descend(int depth) {
        if (depth >= RawJson.MAX_DEPTH) {
            throw RawJson.tooDeep();
        }
    }

    private void wrapped(String opening, String text) {
        if (format.unwrapsText) {
            out.quoted(text);
        } else {
            out.ascii(opening).quoted(text).put('}');
        }
    }

    private void binary(BsonBinary binary) {
        byte[] data = binary.getData();
        format.binary(binary.getType(), data, 0, data.length, out);
    }

    private void regex(BsonRegularExpression regex) {
        format.regex(regex.getPattern(), regex.getOptions(), out);
    }

    private void dbPointer(BsonDbPointer pointer) {
        format.dbPointer(pointer.getNamespace(), pointer.getId().toByteArray(), 0, out);
    }

    private void codeWithScope(BsonJavaScriptWithScope code, int depth) {
        if (format.unwrapsText) {
            out.quoted(code.getCode());
            return;
        }
        out.ascii("{\"$code\": ").quoted(code.getCode()).ascii(", \"$scope\": ");
        document(code.getScope(), depth + 1);
        out.put('}');
    }

    private void timestamp(BsonTimestamp timestamp) {
        format.timestamp(timestamp.getTime(), timestamp.getInc(), out);
    }
}

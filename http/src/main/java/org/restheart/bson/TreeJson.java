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
record TreeJson(Spelling spelling, Utf8Buffer out) {

    /// @param depth how many documents and arrays the value is in
    void value(BsonValue value, int depth) {
        switch (value.getBsonType()) {
            case DOUBLE -> spelling.float64(value.asDouble().getValue(), out);
            case STRING -> JsonStrings.quote(value.asString().getValue(), out);
            case DOCUMENT -> document(value.asDocument(), depth);
            case ARRAY -> array(value.asArray(), depth);
            case BINARY -> binary(value.asBinary());
            case UNDEFINED -> spelling.undefined(out);
            case OBJECT_ID -> spelling.objectId(value.asObjectId().getValue().toByteArray(), 0, out);
            case BOOLEAN -> out.addAscii(value.asBoolean().getValue() ? "true" : "false");
            case DATE_TIME -> spelling.date(value.asDateTime().getValue(), out);
            case NULL -> out.addAscii("null");
            case REGULAR_EXPRESSION -> regex(value.asRegularExpression());
            case DB_POINTER -> dbPointer(value.asDBPointer());
            case JAVASCRIPT -> wrapped("{\"$code\": ", value.asJavaScript().getCode());
            case SYMBOL -> wrapped("{\"$symbol\": ", value.asSymbol().getSymbol());
            case JAVASCRIPT_WITH_SCOPE -> codeWithScope(value.asJavaScriptWithScope(), depth);
            case INT32 -> spelling.int32(value.asInt32().getValue(), out);
            case TIMESTAMP -> timestamp(value.asTimestamp());
            case INT64 -> spelling.int64(value.asInt64().getValue(), out);
            case DECIMAL128 -> spelling.decimal128(value.asDecimal128().getValue(), out);
            case MIN_KEY -> spelling.minKey(out);
            case MAX_KEY -> spelling.maxKey(out);
            case END_OF_DOCUMENT -> throw new IllegalArgumentException("the end of a document is not a value");
        }
    }

    private void document(BsonDocument document, int depth) {
        if (document instanceof RawBsonDocument raw) {
            int from = raw.getByteOffset();
            new RawJson(raw.getBackingArray(), from, spelling, out).document(from + raw.getByteLength(), depth);
            return;
        }
        descend(depth);
        out.add((byte) '{');
        boolean first = true;
        for (var field : document.entrySet()) {
            if (!first) {
                out.addAscii(", ");
            }
            first = false;
            JsonStrings.quote(field.getKey(), out);
            out.addAscii(": ");
            value(field.getValue(), depth + 1);
        }
        out.add((byte) '}');
    }

    private void array(BsonArray array, int depth) {
        descend(depth);
        out.add((byte) '[');
        boolean first = true;
        for (var element : array) {
            if (!first) {
                out.addAscii(", ");
            }
            first = false;
            value(element, depth + 1);
        }
        out.add((byte) ']');
    }

    private static void descend(int depth) {
        if (depth >= RawJson.MAX_DEPTH) {
            throw RawJson.tooDeep();
        }
    }

    private void wrapped(String opening, String text) {
        if (spelling.unwrapsText()) {
            JsonStrings.quote(text, out);
            return;
        }
        out.addAscii(opening);
        JsonStrings.quote(text, out);
        out.add((byte) '}');
    }

    private void binary(BsonBinary binary) {
        byte[] data = binary.getData();
        spelling.binary(binary.getType(), data, 0, data.length, out);
    }

    private void regex(BsonRegularExpression regex) {
        spelling.regex(regex.getPattern(), regex.getOptions(), out);
    }

    private void dbPointer(BsonDbPointer pointer) {
        spelling.dbPointer(pointer.getNamespace(), pointer.getId().toByteArray(), 0, out);
    }

    private void codeWithScope(BsonJavaScriptWithScope code, int depth) {
        if (spelling.unwrapsText()) {
            JsonStrings.quote(code.getCode(), out);
            return;
        }
        out.addAscii("{\"$code\": ");
        JsonStrings.quote(code.getCode(), out);
        out.addAscii(", \"$scope\": ");
        document(code.getScope(), depth + 1);
        out.add((byte) '}');
    }

    private void timestamp(BsonTimestamp timestamp) {
        spelling.timestamp(timestamp.getTime(), timestamp.getInc(), out);
    }
}

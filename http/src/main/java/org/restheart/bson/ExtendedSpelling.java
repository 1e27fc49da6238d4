package org.restheart.bson;

/// Extended JSON v2, canonical.
class ExtendedSpelling extends Spelling {
    @Override
    void date(long millis, Utf8Buffer out) {
        canonicalDate(millis, out);
    }

    @Override
    void int32(int value, Utf8Buffer out) {
        out.addAscii("{\"$numberInt\": \"");
        Decimals.write(value, out);
        out.addAscii("\"}");
    }

    @Override
    void int64(long value, Utf8Buffer out) {
        canonicalInt64(value, out);
    }

    @Override
    void float64(double value, Utf8Buffer out) {
        canonicalDouble(value, out);
    }

    @Override
    void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
        out.addAscii("{\"$dbPointer\": ");
        super.dbPointer(namespace, in, at, out);
        out.add((byte) '}');
    }

    static void canonicalDate(long millis, Utf8Buffer out) {
        out.addAscii("{\"$date\": ");
        canonicalInt64(millis, out);
        out.add((byte) '}');
    }

    static void canonicalInt64(long value, Utf8Buffer out) {
        out.addAscii("{\"$numberLong\": \"");
        Decimals.write(value, out);
        out.addAscii("\"}");
    }

    static void canonicalDouble(double value, Utf8Buffer out) {
        out.addAscii("{\"$numberDouble\": \"");
        out.decimal(value);
        out.addAscii("\"}");
    }
}

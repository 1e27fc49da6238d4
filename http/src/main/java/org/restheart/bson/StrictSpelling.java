package org.restheart.bson;

/// Extended JSON v1, strict. Doubles that are not finite are bare words, which is not JSON.
final class StrictSpelling extends Spelling {
    @Override
    void date(long millis, Utf8Buffer out) {
        out.addAscii("{\"$date\": ");
        Decimals.write(millis, out);
        out.add((byte) '}');
    }

    @Override
    void int64(long value, Utf8Buffer out) {
        ExtendedSpelling.canonicalInt64(value, out);
    }

    @Override
    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        out.addAscii("{\"$binary\": \"");
        Base64Text.write(in, from, to, out);
        out.addAscii("\", \"$type\": \"");
        hexUpper(subtype, out);
        out.addAscii("\"}");
    }

    @Override
    void regex(String pattern, String options, Utf8Buffer out) {
        out.addAscii("{\"$regex\": ");
        JsonStrings.quote(pattern, out);
        out.addAscii(", \"$options\": ");
        JsonStrings.quote(options, out);
        out.add((byte) '}');
    }
}

package org.restheart.bson;

/// Extended JSON v2, relaxed.
class RelaxedSpelling extends Spelling {
    /// The last millisecond of the year 9999.
    private static final long LAST = 253_402_300_799_999L;

    @Override
    void date(long millis, Utf8Buffer out) {
        if (millis < 0 || millis > LAST) {
            ExtendedSpelling.canonicalDate(millis, out);
            return;
        }
        out.addAscii("{\"$date\": \"");
        Dates.writeShortest(millis, out);
        out.addAscii("\"}");
    }

    @Override
    void float64(double value, Utf8Buffer out) {
        if (Double.isFinite(value)) {
            out.decimal(value);
        } else {
            ExtendedSpelling.canonicalDouble(value, out);
        }
    }
}

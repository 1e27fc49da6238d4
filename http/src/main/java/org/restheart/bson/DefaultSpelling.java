package org.restheart.bson;

/// Relaxed, but every date is a number.
final class DefaultSpelling extends RelaxedSpelling {
    /// The blank before the brace is part of the contract.
    @Override
    void date(long millis, Utf8Buffer out) {
        out.addAscii("{\"$date\": ");
        Decimals.write(millis, out);
        out.addAscii(" }");
    }
}

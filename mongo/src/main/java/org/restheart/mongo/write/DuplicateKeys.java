package org.restheart.mongo.write;

import com.mongodb.ErrorCategory;
import com.mongodb.WriteError;

/// Distinguishes violations of unique indexes. MongoDB names the index only in the text of a write error: `E11000
/// duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }`.
public final class DuplicateKeys {
    private DuplicateKeys() {}

    public static boolean isOne(WriteError error) {
        return error.getCategory() == ErrorCategory.DUPLICATE_KEY;
    }

    /// Whether the id exists, as opposed to a value of another unique index.
    public static boolean isOfId(WriteError error) {
        return isOne(error) && error.getMessage().contains(" index: _id_ ");
    }
}

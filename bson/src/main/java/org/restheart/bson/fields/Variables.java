package org.restheart.bson.fields;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Resolves the variables of a filter or pipeline.
@FunctionalInterface
public interface Variables {
    /// Null for a value that is not a variable.
    @Nullable
    Binding of(BsonValue node);

    /// Whether `null` among the elements of a list is compared like other values, instead of being no value.
    default boolean comparesNull() {
        return false;
    }

    /// The value of a variable.
    sealed interface Binding {
        /// A literal value, never an operator or a field name.
        record Value(BsonValue value) implements Binding {}

        /// No value: nothing equals it.
        record Absent() implements Binding {}

        /// A filter where there can be one, else a value.
        record Filter(BsonDocument filter) implements Binding {}

        /// Inserted without escaping, as the author of the variable requested.
        record AsIs(BsonValue value) implements Binding {}
    }
}

package org.restheart.bson.fields;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Says which values of a filter or pipeline are variables, and what stands for them.
@FunctionalInterface
public interface Variables {
    /// Null for what is no variable.
    @Nullable
    Binding of(BsonValue node);

    /// What stands for a variable.
    sealed interface Binding {
        /// A value, which never acts as an operator or names a field.
        record Value(BsonValue value) implements Binding {}

        /// No value: nothing equals it.
        record Absent() implements Binding {}

        /// A filter where there can be one, else a value.
        record Filter(BsonDocument filter) implements Binding {}

        /// Put in as it is, whatever it does there: its author says so.
        record AsIs(BsonValue value) implements Binding {}
    }
}

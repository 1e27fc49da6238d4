package org.restheart.mongo.write;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// Divides many documents of one request into commands whose replies MongoDB can send: the reply names each document
/// that was refused, with its key, and must not exceed 16 MiB either. Else MongoDB closes the connection, and nothing
/// says what was written.
final class CommandBatches {
    /// An error takes about 200 bytes, and more with a long namespace.
    static final int MAX_STATEMENTS = 10_000;

    /// A command that exceeds it has one statement less. As errors contain the keys, this bounds them, too.
    static final int MAX_BYTES = 12 << 20;

    private CommandBatches() {}

    /// The first batch of a list.
    ///
    /// @param most statements, at least 1
    /// @param size of a statement, in bytes
    /// @return how many statements it has; 0 for an empty list
    static <T> int first(List<T> statements, int most, ToLongFunction<? super T> size) {
        long bytes = 0;
        int count = 0;
        for (var statement : statements.subList(0, Math.min(most, statements.size()))) {
            bytes += size.applyAsLong(statement);
            if (bytes > MAX_BYTES && count > 0) {
                break;
            }
            count++;
        }
        return count;
    }

    /// All batches, views of the list.
    static <T> List<List<T>> of(List<T> statements, ToLongFunction<? super T> size) {
        var batches = new ArrayList<List<T>>();
        var left = statements;
        while (!left.isEmpty()) {
            int count = first(left, MAX_STATEMENTS, size);
            batches.add(left.subList(0, count));
            left = left.subList(count, left.size());
        }
        return batches;
    }
}

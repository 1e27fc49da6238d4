package org.restheart.data;

/// What is done with data. Guards decide by it in switches without a default: a new operation does not compile until
/// each of them has an answer. Where each request passes, a switch is over the kinds and then over their constants: the
/// JDK resolves constants of several enums in one switch by their names, each time.
public sealed interface Operation {
    /// Changes nothing, except that a stored pipeline may end in `$out` or `$merge`.
    enum Read implements Operation {
        GET,
        FIND,
        COUNT,
        /// Names of databases and collections, and indexes.
        LIST,
        /// Finds documents that violate a schema.
        CHECK,
        /// Runs a stored pipeline.
        RUN,
        /// Runs a pipeline of the client.
        AGGREGATE,
        WATCH,
        /// Reads properties, a validator, the state of a transaction.
        DESCRIBE
    }

    /// Writes documents, files or schemas. The content of a replacement or an insert is what is stored, that of an
    /// update a change.
    enum Write implements Operation {
        /// One or many. A mode of writing may let it change documents.
        INSERT,
        /// Stores a new file.
        UPLOAD,
        REPLACE,
        UPDATE,
        DELETE,
        UPDATE_MANY,
        DELETE_MANY,
        /// Of one document that matches a filter, as the next two.
        REPLACE_ONE,
        UPDATE_ONE,
        DELETE_ONE
    }

    /// Changes what holds documents: the first three a whole database or collection.
    enum Structure implements Operation {
        CREATE,
        ALTER,
        DROP,
        CREATE_INDEX,
        DROP_INDEX,
        SET_VALIDATOR,
        DROP_VALIDATOR
    }

    /// Neither reads nor writes data.
    enum Other implements Operation {
        /// Begins a session or a transaction.
        BEGIN,
        COMMIT,
        /// Ends a session, or aborts a transaction.
        END,
        /// A preflight, or a method that the resource does not have.
        NONE
    }

    /// Whether it creates, changes or drops a whole database or collection.
    default boolean isOfWhole() {
        return this == Structure.CREATE || this == Structure.ALTER || this == Structure.DROP;
    }

    /// Whether its content says how to change what is stored.
    default boolean isChange() {
        return this == Write.UPDATE || this == Write.UPDATE_MANY || this == Write.UPDATE_ONE || this == Structure.ALTER;
    }

    /// Whether it removes documents, or a whole database or collection.
    default boolean isRemoval() {
        return this == Write.DELETE || this == Write.DELETE_MANY || this == Write.DELETE_ONE || this == Structure.DROP;
    }

    /// What it is about, for messages.
    default String object() {
        return switch (this) {
            case Read.GET -> "one document";
            case Read.FIND -> "a list of documents";
            case Read.COUNT -> "a count";
            case Read.LIST -> "a list of names";
            case Read.CHECK -> "a check of documents";
            case Read.RUN, Read.AGGREGATE -> "an aggregation; values for its stages are passed in avars";
            case Read.WATCH -> "a change stream; values for its stages are passed in avars";
            case Write.INSERT -> "an insert";
            case Write.REPLACE, Write.DELETE -> "a write of one document";
            case Write.UPDATE -> "a change of one document";
            case Write.UPDATE_MANY, Write.DELETE_MANY, Write.REPLACE_ONE, Write.UPDATE_ONE, Write.DELETE_ONE ->
                "many documents";
            case Structure.CREATE, Structure.ALTER, Structure.DROP -> "a database or collection";
            case Read.DESCRIBE, Write.UPLOAD -> "this resource";
            case Structure _, Other _ -> "this resource";
        };
    }
}

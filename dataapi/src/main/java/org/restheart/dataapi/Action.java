package org.restheart.dataapi;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The actions of the Data API. The constants are named as in URIs.
enum Action {
    findOne("find", "document"),
    find("find", "documents"),
    insertOne("insert", "document"),
    insertMany("insert", "documents"),
    updateOne("update", "document"),
    updateMany("update", "documents"),
    replaceOne("replace", "document"),
    deleteOne("delete", "document"),
    deleteMany("delete", "documents"),
    aggregate("aggregate", "documents");

    private static final Map<String, Action> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Action::name, Function.identity()));

    private final String verb;
    private final String object;

    Action(String verb, String object) {
        this.verb = verb;
        this.object = object;
    }

    static Optional<Action> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /// The beginning of messages about a failure.
    String failure() {
        return "Failed to " + verb + " " + object + ": ";
    }

    boolean needsFilter() {
        return switch (this) {
            case updateOne, updateMany, replaceOne, deleteOne, deleteMany -> true;
            default -> false;
        };
    }

    boolean mayInsert(ActionBody body) {
        return switch (this) {
            case insertOne, insertMany -> true;
            case updateOne, updateMany, replaceOne -> body.flag("upsert");
            default -> false;
        };
    }
}

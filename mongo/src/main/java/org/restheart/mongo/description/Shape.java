package org.restheart.mongo.description;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.bson.BsonType;

/// Which fields documents have, and of which types: names, types and counts, never values. Immutable.
///
/// @param documents how many were looked at; 0 if nothing is known
public record Shape(int documents, Fields root) {
    public static final Shape UNKNOWN =
            new Shape(0, new Fields(0, java.util.Collections.emptySortedMap(), Optional.empty()));

    /// The fields of objects in one place.
    ///
    /// @param objects how many objects were seen there
    /// @param byName by code point of their names
    /// @param others all fields together whose names are data, such as ids
    public record Fields(int objects, SortedMap<String, Field> byName, Optional<Field> others) {}

    /// @param count in how many objects it was seen; for an element of arrays, how many elements
    /// @param types how often each type was seen
    /// @param nonFinite whether a number was none, or infinite
    /// @param object what is in it where it is an object
    /// @param element what is in it where it is an array
    public record Field(
            int count,
            Map<BsonType, Integer> types,
            boolean nonFinite,
            Optional<Fields> object,
            Optional<Field> element) {}
}

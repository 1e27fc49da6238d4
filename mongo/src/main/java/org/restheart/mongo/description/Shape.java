package org.restheart.mongo.description;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.bson.BsonType;

/// The fields and types of a sample of documents: names, types and counts, never values. Immutable.
///
/// @param documents the size of the sample; 0 if nothing is known
public record Shape(int documents, Fields root) {
    public static final Shape UNKNOWN = new Shape(0, new Fields(0, Collections.emptySortedMap(), Optional.empty()));

    /// The fields of all objects at one path.
    ///
    /// @param objects the number of these objects
    /// @param byName the fields, sorted by code point of their names
    /// @param others all fields whose names are data, such as ids, combined to one
    public record Fields(int objects, SortedMap<String, Field> byName, Optional<Field> others) {}

    /// A field of objects, or the elements of arrays.
    ///
    /// @param count the number of objects that have the field; for elements of arrays, their number
    /// @param types how often each type occurs
    /// @param nonFinite whether a number is infinite or NaN
    /// @param format the format of all texts; empty if they have none in common, or were not looked at
    /// @param object the fields of values that are objects
    /// @param element the elements of values that are arrays
    public record Field(
            int count,
            Map<BsonType, Integer> types,
            boolean nonFinite,
            Optional<TextFormat> format,
            Optional<Fields> object,
            Optional<Field> element) {}
}

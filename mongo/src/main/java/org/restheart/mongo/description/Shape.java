package org.restheart.mongo.description;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
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

    /// Formats of texts as JSON Schema names them, as far as texts can be recognized.
    public enum TextFormat {
        DATE_TIME("date-time", "\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[-+]\\d{2}:\\d{2})"),
        DATE("date", "\\d{4}-\\d{2}-\\d{2}"),
        UUID("uuid", "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
        EMAIL("email", "[^@\\s]{1,64}@[^@\\s.]+(\\.[^@\\s.]+)+"),
        URI("uri", "[a-zA-Z][a-zA-Z0-9+.-]*://\\S+"),
        IPV4("ipv4", "(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}"),
        IPV6("ipv6", "(?=.*:.*:)[0-9a-fA-F:]{2,39}");

        /// Longer texts have no format.
        private static final int MAX_LENGTH = 256;

        private final String keyword;
        private final Pattern pattern;

        TextFormat(String keyword, String pattern) {
            this.keyword = keyword;
            this.pattern = Pattern.compile(pattern);
        }

        /// The value of the keyword `format`.
        public String keyword() {
            return keyword;
        }

        static Set<TextFormat> of(String text) {
            var formats = EnumSet.noneOf(TextFormat.class);
            if (text.length() <= MAX_LENGTH) {
                Arrays.stream(values())
                        .filter(format -> format.pattern.matcher(text).matches())
                        .forEach(formats::add);
            }
            return formats;
        }
    }
}

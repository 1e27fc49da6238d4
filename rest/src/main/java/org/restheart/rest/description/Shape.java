package org.restheart.rest.description;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.rest.description.Shape.TextFormat;

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

    /// Adds documents up to a [Shape]. Their order does not matter, unless they have more than [#MAX_NODES] different
    /// paths. Names are chosen by clients: neither time nor memory grow with the length of paths. Confined to one
    /// thread.
    public static final class Builder {
        private static final int MAX_DEPTH = 10;
        private static final int MAX_ELEMENTS = 100;
        private static final int MAX_PATHS = 1_000;
        private static final int MAX_NAME = 100;

        /// Most paths that are counted; later ones are left out.
        private static final int MAX_NODES = 100_000;

        /// If an object has more names than this, and few of them are frequent, they count as data.
        private static final int MANY_NAMES = 50;

        private static final double FREQUENT = 0.05;
        private static final int FEW_NAMES = 5;
        private static final double MOST = 0.8;

        /// Ids, UUIDs, dates and times, numbers, e-mail addresses, telephone numbers, IP addresses.
        private static final Pattern DATA = Pattern.compile("[0-9a-fA-F]{24}"
                + "|[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}"
                + "|[0-9a-fA-F]{32,}"
                + "|\\d{4}-\\d{2}(-\\d{2}.*)?"
                + "|[-+]?[\\d ()./,_-]*\\d[\\d ()./,_-]*"
                + "|.*@.*"
                + "|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}");

        private final boolean guessFormats;
        private final Node root = new Node();
        private int nodes;

        /// How many fields of values of maps can still be shown.
        private int left;

        public Builder() {
            this(false);
        }

        /// @param guessFormats whether formats of texts are recognized
        public Builder(boolean guessFormats) {
            this.guessFormats = guessFormats;
        }

        private static final class Node {
            private int objects;
            private final Map<String, Part> parts = new TreeMap<>();
        }

        private static final class Part {
            private int count;
            private final Map<BsonType, Integer> types = new EnumMap<>(BsonType.class);
            private boolean nonFinite;

            /// Whether it is not among the most frequent paths.
            private boolean hidden;

            /// The formats that all texts so far have in common; null before the first text.
            private @Nullable Set<TextFormat> formats;

            private @Nullable Node object;
            private @Nullable Part element;
        }

        public void add(BsonDocument document) {
            add(root, document, 0);
        }

        private void add(Node node, BsonDocument document, int depth) {
            node.objects++;
            document.forEach((name, value) -> {
                var part = part(node, shortened(name));
                if (part != null) {
                    add(part, value, depth + 1);
                }
            });
        }

        /// @return null for a new one if there are too many
        private @Nullable Part part(Node node, String name) {
            var part = node.parts.get(name);
            if (part == null && nodes < MAX_NODES) {
                nodes++;
                part = new Part();
                node.parts.put(name, part);
            }
            return part;
        }

        /// Names that are too long to be shown are only told apart.
        private static String shortened(String name) {
            return name.length() <= MAX_NAME
                    ? name
                    : name.substring(0, MAX_NAME) + Integer.toHexString(name.hashCode()) + "+" + name.length();
        }

        private void add(Part part, BsonValue value, int depth) {
            part.count++;
            part.types.merge(value.getBsonType(), 1, Integer::sum);
            if (value.isDouble() && !Double.isFinite(value.asDouble().getValue())) {
                part.nonFinite = true;
            }
            if (guessFormats && value.isString()) {
                common(part, TextFormat.of(value.asString().getValue()));
            }
            if (depth >= MAX_DEPTH) {
                return;
            }
            if (value.isDocument()) {
                if (part.object == null) {
                    part.object = new Node();
                }
                add(part.object, value.asDocument(), depth);
            } else if (value.isArray()) {
                if (part.element == null) {
                    part.element = new Part();
                }
                var elements = value.asArray();
                for (var element : elements.subList(0, Math.min(elements.size(), MAX_ELEMENTS))) {
                    add(part.element, element, depth + 1);
                }
            }
        }

        private static void common(Part part, Set<TextFormat> formats) {
            if (part.formats == null) {
                part.formats = EnumSet.noneOf(TextFormat.class);
                part.formats.addAll(formats);
            } else {
                part.formats.retainAll(formats);
            }
        }

        /// Whether a name is more likely a value, such as an id or an address: names of fields can be personal
        /// data.
        public static boolean isData(String name) {
            return name.length() > MAX_NAME || DATA.matcher(name).matches();
        }

        public Shape build() {
            hideRare();
            left = MAX_PATHS;
            return new Shape(root.objects, fields(root, false));
        }

        /// Hides all but the most frequent paths; of equally frequent ones the first in order of their names.
        private void hideRare() {
            var all = new ArrayList<Part>();
            collect(root, null, all);
            all.sort(Comparator.comparingInt((Part part) -> part.count).reversed()); // stable
            for (int i = 0; i < all.size(); i++) {
                all.get(i).hidden = i >= MAX_PATHS;
            }
        }

        /// Adds the parts below in the order of their paths, where elements of arrays are named `[]`.
        private static void collect(@Nullable Node object, @Nullable Part element, List<Part> all) {
            var rest = element;
            if (object != null) {
                for (var entry : object.parts.entrySet()) {
                    if (rest != null && entry.getKey().compareTo("[]") >= 0) {
                        collect(rest, all);
                        rest = null;
                    }
                    collect(entry.getValue(), all);
                }
            }
            if (rest != null) {
                collect(rest, all);
            }
        }

        private static void collect(Part part, List<Part> all) {
            all.add(part);
            collect(part.object, part.element, all);
        }

        /// @param inMap whether they are fields of values of a map, of which the first ones are shown
        private Shape.Fields fields(Node node, boolean inMap) {
            boolean isMap = isMap(node);
            var named = new TreeMap<String, Shape.Field>();
            var others = new ArrayList<Part>();
            node.parts.forEach((name, part) -> {
                if (isMap || isData(name)) {
                    others.add(part);
                } else if (inMap ? left-- > 0 : !part.hidden) {
                    named.put(name, field(part, inMap));
                }
            });
            return new Shape.Fields(
                    node.objects,
                    Collections.unmodifiableSortedMap(named),
                    others.isEmpty() ? Optional.empty() : Optional.of(field(merged(others), true)));
        }

        private static boolean isMap(Node node) {
            int names = node.parts.size();
            long data = node.parts.keySet().stream().filter(Builder::isData).count();
            if (names >= FEW_NAMES && data >= MOST * names) {
                return true;
            }
            long frequent = node.parts.values().stream()
                    .filter(part -> part.count >= FREQUENT * node.objects)
                    .count();
            return names > MANY_NAMES && frequent * 2 < names;
        }

        private Shape.Field field(Part part, boolean inMap) {
            return new Shape.Field(
                    part.count,
                    Collections.unmodifiableMap(new EnumMap<>(part.types)),
                    part.nonFinite,
                    Optional.ofNullable(part.formats)
                            .flatMap(formats -> formats.stream().findFirst()),
                    Optional.ofNullable(part.object).map(node -> fields(node, inMap)),
                    Optional.ofNullable(part.element)
                            .filter(element -> element.count > 0)
                            .map(element -> field(element, inMap)));
        }

        private static Part merged(List<Part> parts) {
            var all = new Part();
            parts.forEach(part -> merge(part, all));
            return all;
        }

        private static void merge(Part part, Part into) {
            into.count += part.count;
            part.types.forEach((type, count) -> into.types.merge(type, count, Integer::sum));
            into.nonFinite |= part.nonFinite;
            if (part.formats != null) {
                common(into, part.formats);
            }
            if (part.object != null) {
                if (into.object == null) {
                    into.object = new Node();
                }
                var object = into.object;
                object.objects += part.object.objects;
                part.object.parts.forEach(
                        (name, inner) -> merge(inner, object.parts.computeIfAbsent(name, _ -> new Part())));
            }
            if (part.element != null) {
                if (into.element == null) {
                    into.element = new Part();
                }
                merge(part.element, into.element);
            }
        }
    }
}

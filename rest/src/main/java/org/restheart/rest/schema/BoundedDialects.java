package org.restheart.rest.schema;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.DefaultDialectRegistry;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.DialectRegistry;
import com.networknt.schema.format.Format;
import com.networknt.schema.keyword.FormatKeyword;
import com.networknt.schema.keyword.Keyword;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.path.NodePath;
import com.networknt.schema.path.PathType;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import com.networknt.schema.resource.ResourceLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.restheart.rest.schema.EvaluationBudget.BudgetExceededException;
import org.restheart.text.Words;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// The library's dialects, with bounds of those keywords whose costs grow faster than the content: `format`, whose
/// patterns the library matches by itself (that of `email` takes the square of the length), `minLength` and
/// `maxLength`, which count the characters of a text each time, and `uniqueItems`, which compares all elements with
/// each other if their hashes are equal, as a client can make them; and bounded patterns. Thread-safe.
final class BoundedDialects implements DialectRegistry {
    /// Formats of texts that may be long, which are read from their beginning to their end.
    private static final Set<String> LINEAR = Words.of("""
            alpha alphanumeric iri iri-reference json-pointer regex relative-json-pointer uri uri-reference
            uri-template
            """);

    /// Characters of a text of another format. Host names and addresses have a few hundred at most.
    private static final int LONGEST = 2_048;

    private static final SchemaRegistryConfig CONFIG = SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(BoundedRegex::new)
            .build();

    private final DialectRegistry dialects = new DefaultDialectRegistry();

    private final Map<Dialect, Dialect> bounded = new ConcurrentHashMap<>();

    /// A registry that loads only meta schemas of the library's own archive and schemas of the loader. Errors are in
    /// English with JSON pointers.
    static SchemaRegistry registry(ResourceLoader loader) {
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_4,
                builder -> builder.schemaRegistryConfig(CONFIG)
                        .dialectRegistry(new BoundedDialects())
                        .schemaLoader(schemas -> schemas.fetchRemoteResources(false)
                                .allow(iri -> {
                                    var uri = iri.toString();
                                    return uri.startsWith(SchemaKey.BASE)
                                            || uri.startsWith("http://json-schema.org/")
                                            || uri.startsWith("https://json-schema.org/");
                                })
                                .resourceLoaders(resources -> resources.add(loader))));
    }

    @Override
    public Dialect getDialect(String id, SchemaRegistry registry) {
        return bounded.computeIfAbsent(dialects.getDialect(id, registry), BoundedDialects::bounded);
    }

    private static Dialect bounded(Dialect dialect) {
        return Dialect.builder(dialect)
                .formatKeywordFactory(BoundedFormat::new)
                .keywords(keywords -> {
                    keywords.computeIfPresent(
                            "uniqueItems", (_, keyword) -> new BoundedKeyword(keyword, BoundedDialects::checkItems));
                    for (var name : List.of("minLength", "maxLength")) {
                        keywords.computeIfPresent(
                                name, (_, keyword) -> new BoundedKeyword(keyword, BoundedDialects::checkLong));
                    }
                })
                .build();
    }

    @FunctionalInterface
    private interface Check {
        /// @param then the library's own check, of the node or of another in its place
        void check(JsonNode node, Consumer<JsonNode> then);
    }

    private static Check ofFormat(JsonNode format) {
        return format.isString() && LINEAR.contains(format.stringValue())
                ? BoundedDialects::checkLong
                : BoundedDialects::checkShort;
    }

    private static void checkLong(JsonNode node, Consumer<JsonNode> then) {
        if (node.isString()) {
            EvaluationBudget.current().spend(node.stringValue().length());
        }
        then.accept(node);
    }

    private static void checkShort(JsonNode node, Consumer<JsonNode> then) {
        if (node.isString()) {
            long length = node.stringValue().length();
            if (length > LONGEST) {
                throw new BudgetExceededException();
            }
            EvaluationBudget.current().spend(length * length / 4);
        }
        then.accept(node);
    }

    /// The library is asked about two equal elements, if there are any, since its answer is the same then.
    private static void checkItems(JsonNode node, Consumer<JsonNode> then) {
        if (!node.isArray()) {
            then.accept(node);
            return;
        }
        var budget = EvaluationBudget.current();
        var known = new HashMap<String, JsonNode>();
        for (var element : node) {
            var text = CanonicalJson.of(element);
            budget.spend(text.length());
            var equal = known.put(text, element);
            if (equal != null) {
                then.accept(JsonNodeFactory.instance.arrayNode().add(equal).add(element));
                return;
            }
        }
        then.accept(JsonNodeFactory.instance.arrayNode());
    }

    /// The library requires a subclass.
    private static final class BoundedFormat extends FormatKeyword {
        BoundedFormat(Map<String, Format> formats) {
            super(formats);
        }

        @Override
        public KeywordValidator newValidator(
                SchemaLocation location, JsonNode format, Schema parent, SchemaContext context) {
            return new BoundedValidator(super.newValidator(location, format, parent, context), ofFormat(format));
        }
    }

    private record BoundedKeyword(Keyword keyword, Check check) implements Keyword {
        @Override
        public String getValue() {
            return keyword.getValue();
        }

        @Override
        public KeywordValidator newValidator(
                SchemaLocation location, JsonNode schema, Schema parent, SchemaContext context) throws Exception {
            return new BoundedValidator(keyword.newValidator(location, schema, parent, context), check);
        }
    }

    private record BoundedValidator(KeywordValidator validator, Check check) implements KeywordValidator {
        @Override
        public String getKeyword() {
            return validator.getKeyword();
        }

        @Override
        public SchemaLocation getSchemaLocation() {
            return validator.getSchemaLocation();
        }

        @Override
        public void preloadSchema() {
            validator.preloadSchema();
        }

        @Override
        public void validate(ExecutionContext context, JsonNode node, JsonNode root, NodePath place) {
            check.check(node, checked -> validator.validate(context, checked, root, place));
        }
    }

    /// A text for each value of JSON: equal values have equal texts, whatever the order of members and the
    /// spelling of numbers. Maps by text stay fast when hashes are equal, since texts have an order.
    private static final class CanonicalJson {
        private CanonicalJson() {}

        static String of(JsonNode value) {
            var out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(JsonNode value, StringBuilder out) {
            if (value.isObject()) {
                var members = new TreeMap<String, JsonNode>();
                value.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
                out.append('{');
                members.forEach((name, member) -> {
                    text(name, out);
                    write(member, out);
                });
                out.append('}');
            } else if (value.isArray()) {
                out.append('[');
                value.forEach(element -> write(element, out));
                out.append(']');
            } else if (value.isNumber()) {
                var number = value.decimalValue().stripTrailingZeros();
                out.append('n')
                        .append(number.unscaledValue())
                        .append('e')
                        .append(number.scale())
                        .append(',');
            } else if (value.isString()) {
                text(value.stringValue(), out);
            } else {
                out.append(value);
            }
        }

        /// With its length, so that it ends where it ends.
        private static void text(String text, StringBuilder out) {
            out.append('"').append(text.length()).append(':').append(text);
        }
    }

    /// A pattern with a bounded number of steps, of each text and of all texts of an evaluation. Thread-safe.
    private static final class BoundedRegex implements RegularExpression {
        /// Bound of character accesses. Ordinary patterns access each character a few times.
        private static final long MAX_STEPS = 10_000_000;

        /// The cost of a text, in addition to that of its characters.
        private static final long STEPS_OF_TEXT = 100;

        private final Pattern pattern;

        /// @throws java.util.regex.PatternSyntaxException for an invalid pattern
        BoundedRegex(String pattern) {
            this.pattern = Pattern.compile(RegularExpressions.replaceLongformCharacterProperties(
                    RegularExpressions.replaceDollarAnchors(pattern)));
        }

        @Override
        public boolean matches(String value) {
            var budget = EvaluationBudget.current();
            budget.spend(STEPS_OF_TEXT);
            try {
                return pattern.matcher(new Counted(value, new Steps(budget))).find();
            } catch (StackOverflowError _) { // repeated groups recurse
                throw new BudgetExceededException();
            }
        }

        private static final class Steps {
            private static final int AT_ONCE = 1_024;

            private final EvaluationBudget budget;
            private long count;

            Steps(EvaluationBudget budget) {
                this.budget = budget;
            }

            void next() {
                if (++count > MAX_STEPS) {
                    throw new BudgetExceededException();
                }
                if (count % AT_ONCE == 0) {
                    budget.spend(AT_ONCE);
                }
            }
        }

        /// @param steps the number of character accesses in all parts of the text
        private record Counted(CharSequence text, Steps steps) implements CharSequence {
            @Override
            public char charAt(int index) {
                steps.next();
                return text.charAt(index);
            }

            @Override
            public int length() {
                return text.length();
            }

            @Override
            public CharSequence subSequence(int start, int end) {
                return new Counted(text.subSequence(start, end), steps);
            }

            @Override
            public String toString() {
                return text.toString();
            }
        }
    }
}

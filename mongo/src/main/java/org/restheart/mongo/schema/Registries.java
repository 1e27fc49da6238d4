package org.restheart.mongo.schema;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import com.networknt.schema.resource.ResourceLoader;
import java.util.Locale;
import java.util.regex.Pattern;
import org.restheart.mongo.schema.EvaluationBudget.BudgetExceededException;

/// Configures the validator library: only meta schemas of its own archive and schemas of the loader are loaded;
/// patterns and other keywords are bounded; errors are in English with JSON pointers.
final class Registries {
    private static final SchemaRegistryConfig CONFIG = SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(BoundedRegex::new)
            .build();

    private Registries() {}

    static SchemaRegistry of(ResourceLoader loader) {
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

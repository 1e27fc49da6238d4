package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.GraphQLError;
import graphql.ParseAndValidate;
import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.execution.preparsed.PreparsedDocumentProvider;
import graphql.language.DirectivesContainer;
import graphql.language.Document;
import graphql.language.Field;
import graphql.language.FragmentDefinition;
import graphql.language.FragmentSpread;
import graphql.language.InlineFragment;
import graphql.language.Node;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.language.SelectionSet;
import graphql.parser.InvalidSyntaxException;
import graphql.parser.Parser;
import graphql.parser.ParserEnvironment;
import graphql.parser.ParserOptions;
import graphql.schema.GraphQLSchema;
import graphql.validation.GoodFaithIntrospectionExceeded;
import graphql.validation.QueryComplexityLimits;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.AppCompiler;
import org.restheart.http.ComputeLimit;
import org.restheart.http.NamedOperation;

/// Parses and validates the queries of one app, and keeps those that are valid. Thread-safe.
final class QueryCache implements PreparsedDocumentProvider {
    /// Of the memory for the parsed and validated queries of one app that are kept.
    static final int MAX_BYTES = 16 << 20;

    /// Characters of a query that takes as long as other requests: some milliseconds.
    private static final int SHORT = 1_000;

    private static final int MAX_ERRORS = 20;
    private static final int MAX_MESSAGE = 600;

    /// A field, the largest node, takes 330 bytes with its name, location and lists.
    private static final int NODE_BYTES = 400;

    private static final int ENTRY_BYTES = 500;

    /// The length of the names of fields, separated by commas.
    private static final int MAX_FIELDS = 200;

    private static final int MAX_NAME = 100;
    private static final String OTHER = "_other";

    private final GraphQLSchema schema;
    private final GraphqlConfig.Queries bounds;
    private final ParserOptions options;
    private final Cache<String, PreparsedDocumentEntry> known;

    QueryCache(GraphQLSchema schema, GraphqlConfig.Queries bounds) {
        this.schema = schema;
        this.bounds = bounds;
        this.options = ParserOptions.getDefaultOperationParserOptions()
                .transform(builder -> builder.maxTokens(bounds.maxTokens())
                        .maxCharacters(bounds.maxCharacters())
                        .captureIgnoredChars(false)
                        .captureLineComments(false)
                        .readerTrackData(false));
        this.known = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(MAX_BYTES)
                .weigher(QueryCache::bytes)
                .build();
    }

    /// What is held for a query: a field of one letter takes a hundred times as much as its text.
    private static int bytes(String query, PreparsedDocumentEntry known) {
        long nodes = 0;
        var open = new ArrayDeque<Node<?>>();
        open.push(Objects.requireNonNull(known.getDocument()));
        while (!open.isEmpty()) {
            nodes++;
            open.pop().getChildren().forEach(open::push);
        }
        return (int) Math.min(Integer.MAX_VALUE, ENTRY_BYTES + 2L * query.length() + nodes * NODE_BYTES);
    }

    @Override
    public CompletableFuture<PreparsedDocumentEntry> getDocumentAsync(
            ExecutionInput input, Function<ExecutionInput, PreparsedDocumentEntry> parseAndValidate) {
        var entry = find(input.getQuery());
        Execution.of(input.getGraphQLContext()).asked(operation(entry, input.getOperationName()));
        return CompletableFuture.completedFuture(entry);
    }

    PreparsedDocumentEntry find(String query) {
        var kept = known.getIfPresent(query);
        if (kept != null) {
            return kept;
        }
        return query.length() <= SHORT ? keep(query) : ComputeLimit.SHARED.compute(() -> keep(query));
    }

    /// Without a limit to how many are parsed at a time.
    PreparsedDocumentEntry keep(String query) {
        var entry = prepare(query);
        var document = entry.getDocument();
        if (!entry.hasErrors() && document != null) {
            known.put(query, entry);
        }
        return entry;
    }

    private PreparsedDocumentEntry prepare(String query) {
        if (query.length() > bounds.maxCharacters()) {
            return malformed("the query has more than " + bounds.maxCharacters() + " characters");
        }
        var refusedText = DocumentBounds.refusal(query);
        if (refusedText.isPresent()) {
            return malformed(refusedText.get());
        }
        try {
            var document = new Parser()
                    .parseDocument(ParserEnvironment.newParserEnvironment()
                            .document(query)
                            .parserOptions(options)
                            .locale(Locale.ROOT)
                            .build());
            var refusal = DocumentBounds.refusal(document, schema, bounds);
            if (refusal.isPresent()) {
                return new PreparsedDocumentEntry(refusal.get());
            }
            List<? extends GraphQLError> errors =
                    ParseAndValidate.validate(schema, document, _ -> true, Locale.ROOT, QueryComplexityLimits.NONE);
            return errors.isEmpty()
                    ? new PreparsedDocumentEntry(document)
                    : new PreparsedDocumentEntry(errors.stream()
                            .limit(MAX_ERRORS)
                            .map(QueryCache::shortened)
                            .toList());
        } catch (InvalidSyntaxException e) {
            return new PreparsedDocumentEntry(shortened(e.toInvalidSyntaxError()));
        } catch (GoodFaithIntrospectionExceeded e) {
            return refused(ErrorType.ValidationError, e.toBadFaithError().getMessage());
        }
    }

    /// Messages repeat names and values of the query, however long these are.
    private static GraphQLError shortened(GraphQLError error) {
        var message = error.getMessage();
        return message.length() <= MAX_MESSAGE
                ? error
                : GraphQLError.newError()
                        .errorType(error.getErrorType())
                        .message(message.substring(0, MAX_MESSAGE) + "...")
                        .locations(error.getLocations())
                        .build();
    }

    private static PreparsedDocumentEntry malformed(String reason) {
        return refused(ErrorType.InvalidSyntax, "Invalid syntax: " + reason);
    }

    /// @param type one of those that clients know
    private static PreparsedDocumentEntry refused(ErrorType type, String message) {
        return new PreparsedDocumentEntry(
                GraphQLError.newError().errorType(type).message("%s", message).build());
    }

    /// @param name as of [#operation]
    static boolean isSubscription(PreparsedDocumentEntry entry, @Nullable String name) {
        var document = entry.getDocument();
        return !entry.hasErrors()
                && document != null
                && document.getDefinitionsOfType(OperationDefinition.class).stream()
                        .filter(operation -> name == null || name.equals(operation.getName()))
                        .anyMatch(operation -> operation.getOperation() == OperationDefinition.Operation.SUBSCRIPTION);
    }

    /// The operation of a query, for logs and metrics.
    ///
    /// @param name selects one of several operations; null if there is one
    static NamedOperation operation(PreparsedDocumentEntry entry, @Nullable String name) {
        var document = entry.getDocument();
        if (entry.hasErrors() || document == null) {
            return new NamedOperation("", OTHER);
        }
        var operations = document.getDefinitionsOfType(OperationDefinition.class);
        var meant = operations.stream()
                .filter(operation -> name == null ? operations.size() == 1 : name.equals(operation.getName()))
                .findFirst();
        var queried = operations.stream()
                .filter(operation -> operation.getOperation() == OperationDefinition.Operation.QUERY)
                .findFirst();
        return new NamedOperation(
                meant.flatMap(operation -> Optional.ofNullable(operation.getName()))
                        .map(text -> text.length() > MAX_NAME ? OTHER : text)
                        .orElse(""),
                queried.or(() -> meant).map(QueryCache::fields).orElse(""));
    }

    /// The distinct fields with selections; fragments are not followed.
    private static String fields(OperationDefinition query) {
        var names = new LinkedHashSet<String>();
        int length = 0;
        for (Selection<?> selection : query.getSelectionSet().getSelections()) {
            if (selection instanceof Field field && field.getSelectionSet() != null && names.add(field.getName())) {
                length += field.getName().length() + 1;
                if (length > MAX_FIELDS) {
                    return OTHER;
                }
            }
        }
        return String.join(",", names);
    }

    /// Checks the bounds of a query, and that it has no unsupported directives, before validation, which can
    /// cost far more than parsing. Each fragment is measured once, however often it is spread. Confined to
    /// one thread.
    static final class DocumentBounds {
        /// The deepest nesting of selections and fragments, if the configuration does not limit the depth.
        private static final int MAX_NESTING = 500;

        private final GraphQLSchema schema;
        private final GraphqlConfig.Queries bounds;
        private final Map<String, FragmentDefinition> fragments = new HashMap<>();
        private final Map<String, Measure> measured = new HashMap<>();
        private final Set<String> open = new HashSet<>();
        private final int maxNesting;
        private int aliases;
        private boolean introspects;
        private Optional<String> unsupported = Optional.empty();

        /// @param fields beneath, saturating
        /// @param depth levels of fields
        private record Measure(long fields, int depth) {
            static final Measure NOTHING = new Measure(0, 0);

            Measure beside(Measure other) {
                long sum = fields + other.fields;
                return new Measure(Math.min(sum, Long.MAX_VALUE / 4), Math.max(depth, other.depth));
            }
        }

        private static final class TooDeep extends RuntimeException {
            private static final long serialVersionUID = 1L;

            TooDeep() {
                super(null, null, false, false);
            }
        }

        private DocumentBounds(GraphQLSchema schema, GraphqlConfig.Queries bounds) {
            this.schema = schema;
            this.bounds = bounds;
            this.maxNesting = bounds.maxDepth() == 0 ? MAX_NESTING : 4 * bounds.maxDepth() + 20;
        }

        /// Why a document is refused; empty if it is not.
        static Optional<GraphQLError> refusal(Document document, GraphQLSchema schema, GraphqlConfig.Queries bounds) {
            return new DocumentBounds(schema, bounds).check(document).map(DocumentBounds::error);
        }

        /// Why the text of a query is refused before it is parsed; empty if it is not.
        static Optional<String> refusal(String query) {
            return QueryText.isJson(query)
                    ? Optional.of("this is JSON; an operation in JSON is the member query, sent as application/json")
                    : new QueryText(query).check();
        }

        private static GraphQLError error(String message) {
            return GraphQLError.newError()
                    .errorType(ErrorType.ValidationError)
                    .message(message)
                    .build();
        }

        private Optional<String> check(Document document) {
            document.getDefinitionsOfType(FragmentDefinition.class)
                    .forEach(fragment -> fragments.put(fragment.getName(), fragment));
            try {
                var all = Measure.NOTHING;
                for (var operation : document.getDefinitionsOfType(OperationDefinition.class)) {
                    check(operation);
                    all = all.beside(measure(operation.getSelectionSet(), 0));
                }
                for (var fragment : fragments.keySet()) { // unused fragments are validated too
                    measureFragment(fragment, 0);
                }
                return verdict(all);
            } catch (TooDeep _) {
                return Optional.of("the query is nested too deeply");
            }
        }

        private Optional<String> verdict(Measure all) {
            if (bounds.maxDepth() > 0 && all.depth > bounds.maxDepth()) {
                return Optional.of("the query has a depth of " + all.depth + ", " + bounds.maxDepth()
                        + " is allowed (graphql.max-depth)");
            }
            if (bounds.maxComplexity() > 0 && all.fields > bounds.maxComplexity()) {
                return Optional.of(
                        "the query asks for more than " + bounds.maxComplexity() + " fields (graphql.max-complexity)");
            }
            if (bounds.maxAliases() > 0 && aliases > bounds.maxAliases()) {
                return Optional.of("the query has " + aliases + " aliases, " + bounds.maxAliases()
                        + " are allowed (graphql.max-aliases)");
            }
            if (introspects && !bounds.introspection()) {
                return Optional.of("introspection is not allowed (graphql.introspection)");
            }
            return unsupported.map(name -> "Unknown directive '" + name + "'");
        }

        private void check(DirectivesContainer<?> node) {
            for (var directive : node.getDirectives()) {
                if (AppCompiler.isUnsupported(schema, directive.getName())) {
                    unsupported = Optional.of(directive.getName());
                }
            }
        }

        private Measure measure(@Nullable SelectionSet selections, int nesting) {
            if (selections == null) {
                return Measure.NOTHING;
            }
            if (nesting > maxNesting) {
                throw new TooDeep();
            }
            var all = Measure.NOTHING;
            for (Selection<?> selection : selections.getSelections()) {
                if (selection instanceof DirectivesContainer<?> node) {
                    check(node);
                }
                all = all.beside(
                        switch (selection) {
                            case Field field -> {
                                if (field.getAlias() != null) {
                                    aliases++;
                                }
                                introspects |= field.getName().equals("__schema")
                                        || field.getName().equals("__type");
                                var beneath = measure(field.getSelectionSet(), nesting + 1);
                                yield new Measure(beneath.fields + 1, beneath.depth + 1);
                            }
                            case InlineFragment inline -> measure(inline.getSelectionSet(), nesting + 1);
                            case FragmentSpread spread -> measureFragment(spread.getName(), nesting + 1);
                            default -> Measure.NOTHING;
                        });
            }
            return all;
        }

        /// A fragment that is spread within itself counts as empty there: validation refuses it.
        private Measure measureFragment(String name, int nesting) {
            var known = measured.get(name);
            if (known != null) {
                return known;
            }
            var fragment = fragments.get(name);
            if (fragment == null || !open.add(name)) {
                return Measure.NOTHING;
            }
            var measure = measure(fragment.getSelectionSet(), nesting);
            open.remove(name);
            measured.put(name, measure);
            return measure;
        }

        /// Bounds of a query's text that are checked in one pass before it is parsed. The parser takes fifty
        /// times as long for a digit as for a letter, and a time that grows with the square of the depth of
        /// nested brackets.
        private static final class QueryText {
            /// Digits in a row; no number of BSON has more than 34.
            private static final int MAX_DIGITS = 400;

            /// Digits of all numbers.
            private static final int MAX_ALL_DIGITS = 20_000;

            /// The depth of nested brackets: as many as the parser nests rules.
            private static final int MAX_BRACKETS = ParserOptions.MAX_RULE_DEPTH;

            private final String text;
            private int at;

            private QueryText(String text) {
                this.text = text;
            }

            /// No name in a selection is in quotes.
            private static boolean isJson(String query) {
                var text = query.strip();
                return text.startsWith("{") && text.substring(1).stripLeading().startsWith("\"");
            }

            private Optional<String> check() {
                int nesting = 0;
                int digits = 0;
                int allDigits = 0;
                while (at < text.length()) {
                    char c = text.charAt(at++);
                    boolean isDigit = c >= '0' && c <= '9';
                    digits = isDigit ? digits + 1 : 0;
                    allDigits += isDigit ? 1 : 0;
                    if (digits > MAX_DIGITS || allDigits > MAX_ALL_DIGITS) {
                        return Optional.of(
                                "the query has more than " + (digits > MAX_DIGITS ? MAX_DIGITS : MAX_ALL_DIGITS)
                                        + " digits" + (digits > MAX_DIGITS ? " in a row" : ""));
                    }
                    switch (c) {
                        case '{', '[', '(' -> nesting++;
                        case '}', ']', ')' -> nesting--;
                        case '"' -> skipText();
                        case '#' -> skipLine();
                        default -> {}
                    }
                    if (nesting > MAX_BRACKETS) {
                        return Optional.of("the query is nested too deeply");
                    }
                }
                return Optional.empty();
            }

            private void skipLine() {
                while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
                    at++;
                }
            }

            private void skipText() {
                if (text.startsWith("\"\"", at)) {
                    at += 2;
                    while (at < text.length() && !text.startsWith("\"\"\"", at)) {
                        at += text.startsWith("\\\"\"\"", at) ? 4 : 1;
                    }
                    at += 3;
                    return;
                }
                while (at < text.length()
                        && text.charAt(at) != '"'
                        && text.charAt(at) != '\n'
                        && text.charAt(at) != '\r') {
                    at += text.charAt(at) == '\\' ? 2 : 1;
                }
                at++;
            }
        }
    }
}

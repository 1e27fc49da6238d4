package org.restheart.graphql.app;

import graphql.GraphQLError;
import graphql.GraphQLException;
import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLUnionType;
import graphql.schema.idl.errors.SchemaProblem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.http.KnownKeys;
import org.restheart.rest.aggregation.Aggregation;
import org.restheart.rest.reading.DocumentReads;
import org.restheart.text.Nearest;
import org.restheart.text.Words;

/// Finds what a valid definition says without effect, or what will fail: mostly misspelt names. Confined to one
/// thread.
final class DefinitionWarnings {
    private final GraphQLSchema schema;
    private final Map<String, FieldMapping> fields;
    private final DocumentReads collections;
    private final Set<String> warnings = new TreeSet<>();

    private DefinitionWarnings(GraphQLSchema schema, Map<String, FieldMapping> fields, DocumentReads collections) {
        this.schema = schema;
        this.fields = fields;
        this.collections = collections;
    }

    /// @param definition that is valid
    /// @param fields mappings by `Type.field`
    static List<String> of(
            BsonDocument definition,
            GraphQLSchema schema,
            Map<String, FieldMapping> fields,
            DocumentReads collections) {
        var found = new DefinitionWarnings(schema, fields, collections);
        found.warnings.addAll(DefinitionKeys.warnings(definition, fields.keySet()));
        definition.getDocument("mappings").forEach((type, mapping) -> found.type(type, mapping.asDocument()));
        found.unmapped();
        found.missing();
        return List.copyOf(found.warnings);
    }

    private void type(String name, BsonDocument mapping) {
        switch (schema.getType(name)) {
            case GraphQLObjectType object -> object(object, mapping);
            case GraphQLEnumType anEnum ->
                names(
                        name,
                        mapping.keySet(),
                        anEnum.getValues().stream()
                                .map(GraphQLEnumValueDefinition::getName)
                                .collect(Collectors.toSet()));
            case GraphQLInterfaceType type ->
                resolver(name, mapping, Objects.requireNonNullElse(schema.getImplementations(type), List.of()));
            case GraphQLUnionType type -> resolver(name, mapping, type.getTypes());
            case null, default -> {
                var types = schema.getAllTypesAsList().stream()
                        .filter(type -> type instanceof GraphQLObjectType || type instanceof GraphQLEnumType)
                        .map(GraphQLNamedType::getName)
                        .filter(type -> !type.startsWith("__"))
                        .toList();
                warnings.add("the schema does not have what is mapped: "
                        + String.join(
                                ", ",
                                mapping.isEmpty()
                                        ? List.of(name)
                                        : mapping.keySet().stream()
                                                .map(field -> name + "." + field)
                                                .toList())
                        + Nearest.question(name, types));
            }
        }
    }

    private void names(String type, Set<String> mapped, Set<String> known) {
        for (var name : mapped) {
            if (!known.contains(name)) {
                warnings.add("the schema does not have what is mapped: " + type + "." + name
                        + Nearest.question(name, known));
            }
        }
    }

    private void resolver(String name, BsonDocument mapping, List<? extends GraphQLNamedType> members) {
        names(name, mapping.keySet(), Set.of("$typeResolver"));
        var known = members.stream().map(GraphQLNamedType::getName).toList();
        for (var concrete :
                mapping.getDocument("$typeResolver", new BsonDocument()).keySet()) {
            if (!known.contains(concrete)) {
                warnings.add("$typeResolver for " + name + " names " + concrete + ", which is none of its types"
                        + Nearest.question(concrete, known));
            }
        }
    }

    private void object(GraphQLObjectType type, BsonDocument mapping) {
        names(
                type.getName(),
                mapping.keySet(),
                type.getFieldDefinitions().stream()
                        .map(GraphQLFieldDefinition::getName)
                        .collect(Collectors.toSet()));
        mapping.forEach((name, value) -> {
            var field = type.getFieldDefinition(name);
            if (field != null) {
                var place = type.getName() + "." + name;
                new MappingWarnings(place, field, fields.get(place), collections, warnings).find(value);
            }
        });
    }

    /// Looks for collections that do not exist: MongoDB finds nothing in them, without an error. And for streams that
    /// are not declared: subscribers would be refused.
    private void missing() {
        fields.forEach((place, mapping) -> {
            var namespace = switch (mapping) {
                case FieldMapping.Find find -> find.source().namespace();
                case FieldMapping.Pipeline pipeline -> pipeline.source().namespace();
                case FieldMapping.Stream stream -> stream.namespace();
                case FieldMapping.Path _ -> null;
            };
            if (namespace != null && !collections.exists(namespace)) {
                warnings.add(
                        "the mapping for " + place + " names the collection " + namespace + ", which does not exist");
            } else if (mapping instanceof FieldMapping.Stream stream) {
                var declared = collections.streams(stream.namespace());
                if (!declared.contains(stream.uri())) {
                    warnings.add("the mapping for " + place + " names the stream " + stream.uri() + ", which "
                            + stream.namespace() + " does not declare" + Nearest.question(stream.uri(), declared));
                }
            }
        });
    }

    private void unmapped() {
        if (schema.getType("Query") instanceof GraphQLObjectType query) {
            query.getFieldDefinitions().stream()
                    .map(field -> "Query." + field.getName())
                    .filter(name -> !fields.containsKey(name))
                    .forEach(this::isNull);
        }
        if (schema.getType("Mutation") != null) {
            isNull("Mutation");
        }
        if (schema.getType("Subscription") instanceof GraphQLObjectType subscription) {
            subscription.getFieldDefinitions().stream()
                    .map(field -> "Subscription." + field.getName())
                    .filter(name -> !(fields.get(name) instanceof FieldMapping.Stream))
                    .forEach(name -> {
                        if (fields.containsKey(name)) {
                            warnings.add("not mapped to a stream, so null: " + name);
                        } else {
                            isNull(name);
                        }
                    });
        }
    }

    private void isNull(String name) {
        warnings.add("without mapping, so null: " + name);
    }

    /// Finds what the mapping of one field says without effect, or what will fail whatever the caller
    /// sends. Confined to one thread.
    ///
    /// @param place `Type.field`
    /// @param mapping as it was read; null if it could not be
    private record MappingWarnings(
            String place,
            GraphQLFieldDefinition field,
            @Nullable FieldMapping mapping,
            DocumentReads collections,
            Set<String> warnings) {
        private static final Set<String> ROOTS = Set.of("Query", "Mutation", "Subscription");

        /// @param written the mapping in the definition
        void find(BsonValue written) {
            if (written.isString() && place.startsWith("Query.")) {
                warnings.add("mapped to a path where there is no parent document, so null: " + place);
            }
            if (!(written instanceof BsonDocument query)) {
                return;
            }
            arguments(query);
            if (query.get("stages") instanceof BsonArray array) {
                var stages = stages(array);
                var wrong = Aggregation.wrongStage(stages);
                wrong.ifPresent(text -> has("the " + text));
                if (wrong.isEmpty()) {
                    NamedOperators.unknown(walk -> walk.pipeline(stages, Location.of("stages")), Misspellings::operator)
                            .forEach(this::unknown);
                }
                if (mapping instanceof FieldMapping.Pipeline pipeline) {
                    collections.refusal(pipeline.source().namespace(), stages).ifPresent(this::fails);
                }
            } else if (query.get("find") instanceof BsonDocument filter) {
                NamedOperators.unknown(walk -> walk.filter(filter, Location.of("find")), Misspellings::operator)
                        .forEach(this::unknown);
                if (mapping instanceof FieldMapping.Find find) {
                    collections.refusal(find.source().namespace(), filter).ifPresent(this::fails);
                }
            }
        }

        /// An operator that MongoDB does not have and that resembles one that it has, or a variable.
        private void unknown(NamedOperators.Unknown found) {
            if (found.meant().isPresent()) {
                has(found.toString());
            }
        }

        private void has(String what) {
            warnings.add("the mapping for " + place + " has " + what);
        }

        private void fails(String reason) {
            warnings.add("the mapping for " + place + " will fail: " + reason);
        }

        /// Looks for variables that are neither an argument nor one of the server's.
        private void arguments(BsonValue value) {
            if (value instanceof BsonDocument document) {
                document.forEach((key, operand) -> {
                    if (key.equals("$fk") && place.startsWith("Query.")) {
                        warnings.add("$fk in the mapping for " + place + " is null: there is no parent document");
                    }
                    if (key.equals("$arg") || key.equals("$ifarg")) {
                        variables(operand).forEach(name -> variable(key, name));
                    }
                });
            }
            BsonValues.within(value).forEach(this::arguments);
        }

        private void variable(String key, String path) {
            var name = path.split("\\.", 2)[0];
            var known =
                    field.getArguments().stream().map(GraphQLArgument::getName).collect(Collectors.toSet());
            known.add("@user");
            if (!ROOTS.contains(place.substring(0, place.indexOf('.')))) {
                known.add("rootDoc");
            }
            if (!known.contains(name)) {
                warnings.add(key + " in the mapping for " + place + " names " + name + ", which is no argument"
                        + Nearest.question(name, known));
            }
        }

        /// The names of a variable or of several, with paths into their values.
        private static List<String> variables(BsonValue operand) {
            return BsonTexts.several(
                    operand instanceof BsonArray parts && !parts.isEmpty() ? parts.getFirst() : operand);
        }

        /// The stages, and those that depend on variables.
        private static List<BsonDocument> stages(BsonArray stages) {
            var all = new ArrayList<BsonDocument>();
            for (var stage : stages) {
                if (stage instanceof BsonDocument document) {
                    if (document.get("$ifarg") instanceof BsonArray conditional) {
                        all.addAll(stages(conditional));
                    } else {
                        all.add(document);
                    }
                }
            }
            return all;
        }
    }

    /// What authors of definitions probably meant: names that are nearly right, and those that other
    /// products have for the same.
    static final class Misspellings {
        /// Operators of other products, and of stored aggregations.
        private static final Map<String, String> OPERATORS =
                Map.of("$if", "$ifarg", "$ifvar", "$ifarg", "$var", "$arg");

        private static final Map<String, String> TYPES = Words.pairs("""
            date=DateTime time=DateTime integer=Int number=Float double=Float bool=Boolean text=String bigint=Long
            int64=Long decimal=Decimal128 json=BsonDocument object=BsonDocument any=BsonDocument\
            """);

        private static final Pattern MISSING_TYPE = Pattern.compile("type '(\\w+)' is not present");
        private static final Pattern OWN_SCALAR =
                Pattern.compile("no scalar implementation for the named\\s+'(\\w+)' scalar type");

        private Misspellings() {}

        /// The operator that was meant by one of another product; empty if no other product has it.
        static Optional<String> operator(String name) {
            return Optional.ofNullable(OPERATORS.get(name));
        }

        /// A sentence about the one of the present names that was probably meant to be the missing one;
        /// empty if there is none.
        ///
        /// @param known names that are right at that place
        static String misspelt(String missing, Collection<String> present, Collection<String> known) {
            return misspelt(missing, present, new KnownKeys(Set.copyOf(known), Map.of()));
        }

        static String misspelt(String missing, Collection<String> present, KnownKeys keys) {
            return present.stream()
                    .filter(name -> !keys.known().contains(name)
                            && keys.near(name).filter(missing::equals).isPresent())
                    .findFirst()
                    .map(name -> " '" + name + "' has no effect; did you mean " + missing + "?")
                    .orElse("");
        }

        /// What is wrong with a schema, in one line for each of the first errors.
        ///
        /// @param types that it declares
        static String inSchema(GraphQLException refusal, Collection<String> types) {
            if (!(refusal instanceof SchemaProblem problem)) {
                return String.valueOf(refusal.getMessage()).strip().replaceAll("\\s*\\n\\s*", " ");
            }
            return problem.getErrors().stream()
                    .limit(5)
                    .map(GraphQLError::getMessage)
                    .map(text -> text.strip() + missingType(text, types) + ownScalar(text))
                    .collect(Collectors.joining("; "));
        }

        private static String missingType(String text, Collection<String> types) {
            var name = MISSING_TYPE.matcher(text);
            return name.find() ? meantType(name.group(1), types) : "";
        }

        private static String ownScalar(String text) {
            var name = OWN_SCALAR.matcher(text);
            return name.find()
                    ? meantType(name.group(1), List.of()) + " Beside GraphQL's own scalars there are "
                            + BsonScalars.NAMES.stream().sorted().collect(Collectors.joining(", "))
                            + ", which are not declared"
                    : "";
        }

        private static String meantType(String name, Collection<String> types) {
            var known = new ArrayList<>(types);
            known.addAll(Apps.STANDARD);
            known.addAll(BsonScalars.NAMES);
            return Nearest.to(name, known)
                    .or(() -> Optional.ofNullable(TYPES.get(name.toLowerCase(Locale.ROOT))))
                    .map(near -> "; did you mean " + near + "?")
                    .orElse("");
        }
    }
}

package org.restheart.graphql.app;

import graphql.GraphQLError;
import graphql.GraphQLException;
import graphql.schema.idl.errors.SchemaProblem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.restheart.http.KnownKeys;
import org.restheart.http.Nearest;
import org.restheart.http.Words;

/// What authors of definitions probably meant: names that are nearly right, and those that other products have for the
/// same.
final class Misspellings {
    /// Operators of other products, and of stored aggregations.
    private static final Map<String, String> OPERATORS = Map.of("$if", "$ifarg", "$ifvar", "$ifarg", "$var", "$arg");

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

    /// A sentence about the one of the present names that was probably meant to be the missing one; empty if there is
    /// none.
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

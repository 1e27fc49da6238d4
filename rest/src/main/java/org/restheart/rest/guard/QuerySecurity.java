package org.restheart.rest.guard;

import com.mongodb.MongoNamespace;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.bson.fields.Operators;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The `filterOperatorsBlacklist` and `aggregationSecurity` blocks of the configuration, and the collections that no
/// pipeline may access.
///
/// @param forbiddenOperators refused wherever a client's operators would be evaluated
/// @param additionalOperators names of stages and operators of a later MongoDB that are let through
/// @param withheld collections, of accounts and permissions, that no pipeline reads or writes from another one
public record QuerySecurity(
        Set<String> forbiddenOperators,
        PipelineRules pipelines,
        Set<String> additionalOperators,
        Set<MongoNamespace> withheld) {
    public static final QuerySecurity DEFAULT =
            new QuerySecurity(Operators.CODE, PipelineRules.DEFAULT, Set.of(), Set.of());

    public QuerySecurity {
        Objects.requireNonNull(pipelines);
        forbiddenOperators = Set.copyOf(forbiddenOperators);
        additionalOperators = Set.copyOf(additionalOperators);
        withheld = Set.copyOf(withheld);
    }

    /// Whether any operator is forbidden, so that unknown ones are too.
    boolean forbidsOperators() {
        return !forbiddenOperators.isEmpty();
    }

    /// Refuses a view over collections that no pipeline may access.
    ///
    /// @throws org.restheart.http.ProblemException 403
    public void requireOpen(Collection<MongoNamespace> sources) {
        for (var source : sources) {
            if (withholds(source.getDatabaseName(), source.getCollectionName())) {
                throw new ProblemException(ProblemCode.FORBIDDEN, "this view reads accounts or permissions");
            }
        }
    }

    /// Names are compared without regard to case, as in the guard of accounts.
    public boolean withholds(String db, String collection) {
        return withheld.stream()
                .anyMatch(namespace -> namespace.getDatabaseName().equalsIgnoreCase(db)
                        && namespace.getCollectionName().equalsIgnoreCase(collection));
    }

    /// The restrictions of aggregations, which [PipelineInspection] enforces: which stages, in pipelines within stages
    /// too, and which operators. Names are compared without regard to case.
    ///
    /// @param enabled false allows every pipeline
    /// @param stages refused, also in pipelines within stages
    /// @param operators refused at any depth
    /// @param allowOtherDatabases whether stages may read from and write to other databases
    /// @param allowJavaScript whether stages may run code in the database
    public record PipelineRules(
            boolean enabled,
            Set<String> stages,
            Set<String> operators,
            boolean allowOtherDatabases,
            boolean allowJavaScript) {
        public static final PipelineRules DEFAULT = new PipelineRules(
                true, Set.of("$out", "$merge", "$lookup", "$graphLookup", "$unionWith"), Operators.CODE, false, false);

        public static final PipelineRules NONE = new PipelineRules(false, Set.of(), Set.of(), true, true);

        public PipelineRules {
            stages = stages.stream().map(PipelineRules::lower).collect(Collectors.toUnmodifiableSet());
            operators = operators.stream().map(PipelineRules::lower).collect(Collectors.toUnmodifiableSet());
        }

        private static String lower(String name) {
            return name.toLowerCase(Locale.ROOT);
        }

        boolean forbidsStage(String name) {
            return enabled && stages.contains(lower(name));
        }

        boolean forbidsOperator(String name) {
            return enabled && operators.contains(lower(name));
        }

        boolean forbidsJavaScript(String name) {
            return enabled && !allowJavaScript && Operators.CODE.contains(lower(name));
        }
    }
}

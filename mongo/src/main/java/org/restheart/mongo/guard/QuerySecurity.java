package org.restheart.mongo.guard;

import com.mongodb.MongoNamespace;
import java.util.Collection;
import java.util.Set;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The `filterOperatorsBlacklist` and `aggregationSecurity` blocks of the configuration, and the collections that no
/// pipeline may access.
///
/// @param forbiddenOperators refused wherever a client's operators would be evaluated
/// @param pipelines the restrictions of aggregations
/// @param withheld collections, of accounts and permissions, that no pipeline reads or writes from another one
public record QuerySecurity(Set<String> forbiddenOperators, PipelineRules pipelines, Set<MongoNamespace> withheld) {
    public static final QuerySecurity DEFAULT =
            new QuerySecurity(PipelineRules.JAVASCRIPT, PipelineRules.DEFAULT, Set.of());

    public QuerySecurity {
        forbiddenOperators = Set.copyOf(forbiddenOperators);
        withheld = Set.copyOf(withheld);
    }

    /// Refuses a view over collections that no pipeline may access.
    ///
    /// @param sources what the view reads
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
}

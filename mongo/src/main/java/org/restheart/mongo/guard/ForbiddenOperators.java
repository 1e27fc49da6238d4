package org.restheart.mongo.guard;

import java.util.Set;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.mongo.parameter.Parameters;

/// Refuses requests whose parameters contain an operator that is switched off, at any depth: by default those
/// that run JavaScript in the database. Nobody is exempt. Thread-safe.
public final class ForbiddenOperators {
    private final Set<String> names;

    public ForbiddenOperators(QuerySecurity security) {
        this.names = security.forbiddenOperators();
    }

    /// @throws org.restheart.http.ProblemException 403 without a body
    public void check(Parameters parameters) {
        if (contains(parameters.filter())
                || contains(parameters.keys())
                || contains(parameters.sort())
                || parameters.hint().filter(this::contains).isPresent()
                || parameters.shardKey().filter(this::contains).isPresent()) {
            throw Problem.bare(ProblemCode.FORBIDDEN).raise();
        }
    }

    private boolean contains(BsonValue value) {
        if (value.isDocument()) {
            for (var member : value.asDocument().entrySet()) {
                if (names.contains(member.getKey()) || contains(member.getValue())) {
                    return true;
                }
            }
        } else if (value.isArray()) {
            for (var element : value.asArray()) {
                if (contains(element)) {
                    return true;
                }
            }
        }
        return false;
    }
}

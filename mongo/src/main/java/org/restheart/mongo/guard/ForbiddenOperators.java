package org.restheart.mongo.guard;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.ExpressionOperators;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.Parameters;

/// Refuses requests of every caller that contain a forbidden operator at any depth where it would be evaluated:
/// by default those that run JavaScript in the database, and always those that are internal to MongoDB. Values
/// to be stored are data, whatever their keys; stored pipelines are checked when they run
/// ([PipelineInspection]). Thread-safe.
public final class ForbiddenOperators {
    private final Set<String> names;

    public ForbiddenOperators(QuerySecurity security) {
        this.names = security.forbiddenOperators();
    }

    /// @throws org.restheart.http.ProblemException 403 without a body
    public void check(Parameters parameters) {
        if (contains(parameters.find().filter())
                || contains(parameters.find().keys())
                || contains(parameters.find().sort())
                || parameters.find().hint().filter(this::contains).isPresent()
                || parameters.shardKey().filter(this::contains).isPresent()
                || parameters.aggregationVariables().filter(this::contains).isPresent()) {
            throw refusal();
        }
    }

    /// Checks a filter outside of the parameters.
    ///
    /// @throws org.restheart.http.ProblemException 403 without a body
    public void checkFilter(BsonValue filter) {
        if (contains(filter)) {
            throw refusal();
        }
    }

    /// Checks content that is not only data: changes and indexes.
    ///
    /// @throws org.restheart.http.ProblemException 403 without a body; other problems if it does not parse
    public void checkContent(DataRequest request) {
        boolean acts = switch (request.http().method()) {
            case PATCH -> isInChange(request.content());
            case PUT -> request.path().kind() == ResourceKind.INDEX && contains(request.content());
            case GET, HEAD, POST, DELETE, OPTIONS -> false;
        };
        if (acts) {
            throw refusal();
        }
    }

    /// Pipelines contain expressions; of update operators only those that remove elements contain filters.
    private boolean isInChange(BsonValue content) {
        return content instanceof BsonArray stages
                ? stages.stream().anyMatch(this::containsUnquoted)
                : content instanceof BsonDocument document
                        && document.entrySet().stream()
                                .anyMatch(entry -> isForbidden(entry.getKey())
                                        || (entry.getKey().equals("$pull") && contains(entry.getValue())));
    }

    /// As [#contains], without operands of `$literal`, which are not evaluated.
    private boolean containsUnquoted(BsonValue value) {
        return switch (value) {
            case BsonDocument document ->
                document.entrySet().stream()
                        .anyMatch(entry -> isForbidden(entry.getKey())
                                || (!entry.getKey().equals("$literal") && containsUnquoted(entry.getValue())));
            case BsonArray array -> array.stream().anyMatch(this::containsUnquoted);
            default -> false;
        };
    }

    private boolean isForbidden(String name) {
        return names.contains(name) || ExpressionOperators.isInternal(name);
    }

    private static RuntimeException refusal() {
        return Problem.helpful(ProblemCode.FORBIDDEN, "an operator that the server forbids (filterOperatorsBlacklist)")
                .raise();
    }

    private boolean contains(BsonValue value) {
        return AnyName.in(value, this::isForbidden);
    }
}

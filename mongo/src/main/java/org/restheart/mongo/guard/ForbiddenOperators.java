package org.restheart.mongo.guard;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.Parameters;

/// Refuses requests that contain an operator that is switched off, at any depth, wherever it would act: by default
/// those that run JavaScript in the database. Nobody is exempt. What is stored as a value is data, whatever its keys;
/// pipelines that are stored are looked at when they run ([PipelineInspection]). Thread-safe.
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

    /// A filter that stands somewhere else than in the parameters.
    ///
    /// @throws org.restheart.http.ProblemException 403 without a body
    public void checkFilter(BsonValue filter) {
        if (contains(filter)) {
            throw refusal();
        }
    }

    /// The content of a write, where it is more than data: changes and indexes.
    ///
    /// @throws org.restheart.http.ProblemException 403 without a body; others if it does not parse
    public void checkContent(DataRequest request) {
        if (names.isEmpty()) {
            return;
        }
        boolean acts = switch (request.http().method()) {
            case PATCH -> isInChange(request.content());
            case PUT -> request.path().kind() == ResourceKind.INDEX && contains(request.content());
            case GET, HEAD, POST, DELETE, OPTIONS -> false;
        };
        if (acts) {
            throw refusal();
        }
    }

    /// Pipelines hold expressions; of operators only those that take elements away hold filters.
    private boolean isInChange(BsonValue content) {
        return content instanceof BsonArray stages
                ? stages.stream().anyMatch(this::containsUnquoted)
                : content instanceof BsonDocument document
                        && document.entrySet().stream()
                                .anyMatch(entry -> names.contains(entry.getKey())
                                        || (entry.getKey().equals("$pull") && contains(entry.getValue())));
    }

    /// As [#contains], but for what `$literal` keeps from being evaluated.
    private boolean containsUnquoted(BsonValue value) {
        return switch (value) {
            case BsonDocument document ->
                document.entrySet().stream()
                        .anyMatch(entry -> names.contains(entry.getKey())
                                || (!entry.getKey().equals("$literal") && containsUnquoted(entry.getValue())));
            case BsonArray array -> array.stream().anyMatch(this::containsUnquoted);
            default -> false;
        };
    }

    private static RuntimeException refusal() {
        return Problem.bare(ProblemCode.FORBIDDEN).raise();
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

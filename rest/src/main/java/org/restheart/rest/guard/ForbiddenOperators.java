package org.restheart.rest.guard;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Stages;
import org.restheart.bson.fields.Update;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.parameter.Parameters;

/// Refuses requests of every caller that contain a forbidden operator at any depth where it would be evaluated:
/// by default those that run JavaScript in the database, and always those that are internal to MongoDB. Where any is
/// forbidden, names that are not known are refused too. Values to be stored are data, whatever their keys; stored
/// pipelines are checked when they run ([PipelineInspection]). Thread-safe.
public final class ForbiddenOperators {
    private static final Location CONTENT = Location.of("content");

    private final Set<String> names;
    private final NamedOperators known;

    public ForbiddenOperators(QuerySecurity security) {
        this.names = security.forbiddenOperators();
        this.known = new NamedOperators(
                security.forbidsOperators() ? new KnownOperators(security.additionalOperators()) : (_, _, _) -> {});
    }

    /// @throws org.restheart.http.ProblemException 403 for a forbidden operator, 400 for an unknown one
    public void check(Parameters parameters) {
        var values = parameters.values();
        for (var parameter : values.revealing()) {
            for (var sent : values.json(parameter)) {
                refuse(contains(sent));
            }
        }
        refuse(parameters.aggregationVariables().filter(this::contains).isPresent());
        for (var parameter : values.revealing()) {
            var place = Location.of(parameter.wireName());
            var sent = values.documents(parameter);
            switch (parameter.reveals()) {
                case CONDITION, ELEMENTS -> sent.forEach(filter -> known.filter(filter, place));
                case ORDER, INDEX, PROJECTION -> sent.forEach(keys -> known.projection(keys, place));
                case VARIABLES, COMPARISON, RELATED, NOTHING -> {}
            }
        }
    }

    /// Checks a filter outside of the parameters.
    ///
    /// @throws org.restheart.http.ProblemException 403 for a forbidden operator, 400 for an unknown one
    public void checkFilter(BsonValue filter) {
        refuse(contains(filter));
        known.filter(filter, Location.of("filter"));
    }

    /// Checks content that is not only data: changes and indexes.
    ///
    /// @throws org.restheart.http.ProblemException 403 for a forbidden operator, 400 for an unknown one; other
    ///     problems if it does not parse
    public void checkContent(DataRequest request) {
        switch (request.operation()) { // kinds first: it is asked of each request
            case Write write -> {
                switch (write) {
                    case UPDATE, UPDATE_ONE, UPDATE_MANY -> checkChange(request.content());
                    case INSERT, UPLOAD, REPLACE, REPLACE_ONE -> {} // what is stored is data
                    case DELETE, DELETE_ONE, DELETE_MANY -> {}
                }
            }
            case Structure structure -> {
                switch (structure) {
                    case ALTER -> checkChange(request.content());
                    case CREATE_INDEX -> checkIndex(request.content());
                    case CREATE, DROP, DROP_INDEX, SET_VALIDATOR, DROP_VALIDATOR -> {}
                }
            }
            case Read _, Other _ -> {}
        }
    }

    private void checkChange(BsonValue content) {
        refuse(isInChange(content));
        known.update(Update.of(content), CONTENT);
    }

    private void checkIndex(BsonValue content) {
        refuse(contains(content));
        if (content instanceof BsonDocument index) {
            known.filter(Stages.member(Stages.member(index, "ops"), "partialFilterExpression"), CONTENT);
        }
    }

    private static void refuse(boolean contained) {
        if (contained) {
            throw Problem.helpful(
                            ProblemCode.FORBIDDEN, "an operator that the server forbids (filterOperatorsBlacklist)")
                    .raise();
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
        return value instanceof BsonDocument document
                ? document.entrySet().stream()
                        .anyMatch(entry -> isForbidden(entry.getKey())
                                || (!entry.getKey().equals("$literal") && containsUnquoted(entry.getValue())))
                : BsonValues.within(value).anyMatch(this::containsUnquoted);
    }

    private boolean isForbidden(String name) {
        return names.contains(name) || Operators.isInternal(name);
    }

    private boolean contains(BsonValue value) {
        return AnyName.in(value, this::isForbidden);
    }
}

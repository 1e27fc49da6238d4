package org.restheart.graphql.app;

import org.bson.BsonValue;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.http.ProblemException;

/// A part of a mapping with variables in it ([VariablePlaces]), for whose values literals are inserted. Immutable.
///
/// @param definition as [VariablePlaces] has read it
record Template(BsonValue definition, VariablePlaces variables, Position position) {

    /// What is inserted into.
    enum Position {
        /// A filter: values are compared, they are never operators or patterns.
        FILTER,
        /// Parts of queries that are no filters, such as a sort: values that MongoDB would evaluate are refused.
        PLAIN,
        /// Named values, which are data whatever they look like.
        VALUES
    }

    /// @param allowOperators insert arguments unchanged
    /// @throws InvalidApp naming what is wrong
    static Template of(BsonValue value, Position position, boolean allowOperators) throws InvalidApp {
        var variables = new VariablePlaces(allowOperators);
        return new Template(variables.read(value), variables, position);
    }

    /// @throws ProblemException 400 for a variable that is not bound or whose value is not allowed
    BsonValue fill(MappingVariables values) {
        if (variables.isEmpty()) {
            return definition;
        }
        var bound = variables.bind(values);
        var chosen = bound.withDefaults(definition);
        try {
            return switch (position) {
                case FILTER -> new FilterBinding(bound).bind(chosen);
                case PLAIN -> new ExpressionBinding(bound).bindData(chosen, false);
                case VALUES -> new ExpressionBinding(bound).bindData(chosen, true);
            };
        } catch (UnusableVariableException e) {
            throw VariablePlaces.refusal(e);
        }
    }
}

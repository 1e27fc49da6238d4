package org.restheart.rest.guard;

import java.util.List;
import java.util.Set;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;

/// Refuses names of stages, operators and variables that are not [known][Operators]: what they read and do is not known
/// either. The messages begin as those of MongoDB.
///
/// @param additional further names, of a later MongoDB, that the configuration opens
record KnownOperators(Set<String> additional) implements NamedOperators.Visitor {
    private static final int MAX_QUOTED = 100;
    private static final String HINT =
            "known are the names of MongoDB 6.0 to 8.0; aggregationSecurity/additionalOperators opens others";

    @Override
    public void visit(Place place, String name, Location at) {
        if (!place.known().contains(name) && !additional.contains(name)) {
            throw refusal(place, name, at);
        }
    }

    private static ProblemException refusal(Place place, String name, Location at) {
        var text = ShortText.of(name, MAX_QUOTED);
        var message = switch (place) {
            case STAGE -> "Unrecognized pipeline stage name: '" + text + "' at " + at;
            case QUERY -> "Invalid query parameter: unknown operator: " + text;
            case EXPRESSION -> "Unrecognized expression '" + text + "' at " + at;
            case VARIABLE -> "Use of undefined variable: " + text + " at " + at;
            case UPDATE ->
                "Invalid BSON: the name of a field at the top must not start with $ and " + text
                        + " is no update operator";
        };
        var meant = Nearest.to(text.startsWith("$") ? text : "$" + text, place.known());
        return Problem.of(ProblemCode.QUERY_INVALID, message)
                .withHints(
                        List.of(meant.map(near -> "did you mean " + near + "?").orElse(HINT)))
                .raise();
    }
}

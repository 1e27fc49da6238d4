package org.restheart.security.predicate;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.Limits;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.parameter.DataParameter;
import org.restheart.security.predicate.Operand.RequestAttribute;

/// All requests of a kind, as predicates see them. A predicate is evaluated to the set of outcomes that it can have:
/// true, false, or none ([Unanswerable]). The set may be too large, since results of two parts of a predicate for
/// the same unknown value are not correlated; it is never too small. Ids are strings or ObjectIds: `id_type` is not
/// considered. Immutable.
public final class KindAttempt {
    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int NONE = 4;
    /// A rule that reads the content does not apply if it does not parse.
    private static final int ANY = TRUE | FALSE | NONE;

    private final RequestKind kind;
    private final @Nullable Account account;
    private final Request example;

    /// @param example a request of the kind; its unknown parts are not read
    public KindAttempt(Request example, RequestKind kind, @Nullable Account account) {
        this.kind = kind;
        this.account = account;
        this.example = example;
    }

    public RequestKind kind() {
        return kind;
    }

    public @Nullable Account account() {
        return account;
    }

    /// Whether a rule with this predicate applies to requests of the kind.
    public Decision test(Predicate predicate) {
        int outcomes = new Evaluation(false).outcomes(predicate);
        if (outcomes == TRUE) {
            return Decision.ALWAYS;
        }
        return ((outcomes | new Evaluation(true).outcomes(predicate)) & TRUE) != 0 ? Decision.DEPENDS : Decision.NEVER;
    }

    /// The conditions of every request to which the rule applies, as far as they follow from conjunctions.
    public static Limits limits(Predicate predicate) {
        var conditions = new ArrayList<Predicate>();
        flatten(predicate, conditions);
        Optional<Set<String>> only = Optional.empty();
        var not = new HashSet<String>();
        Optional<List<String>> properties = Optional.empty();
        for (var condition : conditions) {
            if (condition instanceof RequestPredicate.Parameters(var quantity, var names)) {
                if (quantity == RequestPredicate.Quantity.NONE) {
                    names.forEach(name -> not.addAll(List.of(name, DataParameter.canonical(name))));
                } else if (quantity == RequestPredicate.Quantity.ONLY) {
                    var both = new HashSet<>(names);
                    names.forEach(name -> both.add(DataParameter.canonical(name)));
                    only.ifPresent(both::retainAll);
                    only = Optional.of(Set.copyOf(both));
                }
            } else if (condition instanceof ContentPredicate.Touches(var quantity, var keys)
                    && quantity == RequestPredicate.Quantity.ONLY
                    && properties.isEmpty()) {
                properties = Optional.of(List.copyOf(keys));
            }
        }
        return new Limits(only, Set.copyOf(not), properties);
    }

    private static void flatten(Predicate predicate, List<Predicate> conditions) {
        if (predicate instanceof Predicate.All(var parts)) {
            parts.forEach(part -> flatten(part, conditions));
        } else {
            conditions.add(predicate);
        }
    }

    /// For one spelling of the path: without a slash at the end, or with one.
    private final class Evaluation {
        private final boolean slash;
        /// What is bound in it is bound of each request of the kind.
        private final Attempt attempt;
        /// Whether a name in the path has another usual spelling.
        private final boolean isUnusual;

        Evaluation(boolean slash) {
            this.slash = slash && !kind.path().isEmpty();
            this.attempt = new Attempt(this.slash ? closed(example) : example, account);
            this.isUnusual = kind.path().stream()
                    .anyMatch(segment -> segment instanceof Segment.Name(var name)
                            && !PathSpelling.usual(name).equals(name));
        }

        private static Request closed(Request request) {
            return request.with(RequestPath.parse(request.path().raw() + "/"));
        }

        int outcomes(Predicate predicate) {
            return switch (predicate) {
                case Predicate.Constant(var value) -> value ? TRUE : FALSE;
                case Predicate.Not(var of, var isUnusual) -> negated(of, isUnusual);
                case Predicate.All(var parts) -> sequence(parts, TRUE, FALSE);
                case Predicate.Any(var parts) -> sequence(parts, FALSE, TRUE);
                case RequestPredicate.Path(var constant, var variable, var isPrefix) ->
                    paths(constant, variable, isPrefix);
                case RequestPredicate.PathSuffix(var suffixes) ->
                    kind.isPathKnown() && areKnown(suffixes) ? concrete(predicate) : ANY;
                case RequestPredicate.Template(var template, var match) ->
                    (match == null ? kind.isPathKnown() : isKnown(match))
                            ? concrete(predicate)
                            : binding(match == null ? of(template.matches(values())) : ANY);
                case RequestPredicate.Regex regex ->
                    isKnown(regex.value()) ? concrete(predicate) : binding(mayMatch(regex) ? ANY : FALSE | NONE);
                case RequestPredicate.MethodIs _,
                        RequestPredicate.ViaIs _,
                        RequestPredicate.ActionIs _,
                        RequestPredicate.Trait _ -> concrete(predicate);
                case RequestPredicate.Equal(var operands) -> areKnown(operands) ? concrete(predicate) : ANY;
                case RequestPredicate.Contains(var search, var value) ->
                    isKnown(value) && areKnown(search) ? concrete(predicate) : ANY;
                case RequestPredicate.Exists(var value) -> isKnown(value) ? concrete(predicate) : ANY;
                case RequestPredicate.In(var value, var array) ->
                    isKnown(value) && areKnown(array) ? concrete(predicate) : ANY;
                case RequestPredicate.ContentLength(var min, var max) ->
                    min > max || max < 0 ? FALSE : min <= 0 && max == Long.MAX_VALUE ? TRUE : TRUE | FALSE;
                case RequestPredicate.Parameters(var quantity, var names) ->
                    names.isEmpty() && quantity != RequestPredicate.Quantity.ONLY ? TRUE : TRUE | FALSE;
                case RequestPredicate.ParameterCount(var count) -> count < 0 ? FALSE : TRUE | FALSE;
                case ContentPredicate _ -> kind.data() ? ANY : FALSE;
            };
        }

        private int negated(Predicate of, boolean namesUnusual) {
            int outcomes = outcomes(of);
            int negated =
                    (outcomes & NONE) | ((outcomes & TRUE) != 0 ? FALSE : 0) | ((outcomes & FALSE) != 0 ? TRUE : 0);
            if (namesUnusual) {
                negated |= NONE;
            }
            if (slash && (negated & TRUE) != 0) {
                int usual = new Evaluation(false).outcomes(of);
                return ((usual & FALSE) != 0 ? negated : negated & ~TRUE) | ((usual & ~FALSE) != 0 ? NONE : 0);
            }
            return isUnusual ? negated | NONE : negated;
        }

        /// Evaluates from left to right until one part surely decides. That there is no outcome is kept:
        /// what follows is not evaluated after content that does not parse.
        private int sequence(List<Predicate> parts, int goesOn, int ends) {
            int all = 0;
            int last = goesOn;
            boolean mayBeSkipped = false;
            for (var part : parts) {
                mayBeSkipped |= (all & ends) != 0;
                int outcomes = outcomes(part);
                all |= outcomes & ~goesOn;
                last &= outcomes;
                if (outcomes == ends) {
                    break;
                }
            }
            return mayBeSkipped ? binding(all | last) : all | last;
        }

        /// The outcomes of what may have bound values that are not known here.
        private int binding(int outcomes) {
            attempt.forget();
            return outcomes;
        }

        private int paths(List<PathPattern> constant, List<Operand> variable, boolean prefix) {
            boolean known = areKnown(variable);
            var texts = known
                    ? variable.stream().flatMap(operand -> operand.texts(attempt).stream())
                    : Stream.<String>empty();
            int found = known ? FALSE : ANY;
            for (var pattern : Stream.concat(constant.stream(), texts.map(PathPattern::parse))
                    .toList()) {
                int matches = prefix || pattern.segments().size() == kind.path().size()
                        ? of(kind.isBelow(pattern.segments()))
                        : FALSE;
                if (matches == TRUE) {
                    return TRUE;
                }
                found |= matches;
            }
            return found;
        }

        /// Whether what is known of the value leaves open whether it matches.
        private boolean mayMatch(RequestPredicate.Regex regex) {
            return isUnusual
                    || !(regex.value() instanceof Operand.Attribute(var name) && name == RequestAttribute.RELATIVE_PATH)
                    || regex.mayMatchAfter(
                            kind.knownPath().stream().map(text -> "/" + text).collect(joining()) + "/");
        }

        /// The segments as templates see them: a slash at the end is an empty one.
        private List<Segment> values() {
            var values = new ArrayList<>(kind.path());
            if (slash || values.isEmpty()) {
                values.add(new Segment.Name(""));
            }
            return values;
        }

        private static int of(Decision answer) {
            return switch (answer) {
                case ALWAYS -> TRUE;
                case NEVER -> FALSE;
                case DEPENDS -> TRUE | FALSE;
            };
        }

        private boolean areKnown(List<Operand> operands) {
            return operands.stream().allMatch(this::isKnown);
        }

        private boolean isKnown(Operand operand) {
            return switch (operand) {
                case Operand.Literal _, Operand.UserProperty _, Operand.Constant _ -> true;
                case Operand.Attribute(var name) ->
                    switch (name) {
                        case REQUEST_URI, QUERY_STRING, BARE_QUERY_STRING -> false;
                        case RELATIVE_PATH -> kind.isPathKnown();
                        default -> true;
                    };
                case Operand.Joined(var parts) -> areKnown(parts);
                case Operand.Header _, Operand.Parameter _, Operand.Cookie _ -> false;
                case Operand.Binding(var name) -> // prefixes bind what remains of a path as it is sent
                    kind.isPathKnown() && !name.equals("remaining") && attempt.binding(name) != null;
                case Operand.BodyProperty _ -> false;
            };
        }

        private int concrete(Predicate predicate) {
            try {
                return predicate.test(attempt) ? TRUE : FALSE;
            } catch (Unanswerable _) {
                return NONE;
            }
        }
    }
}

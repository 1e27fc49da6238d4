package org.restheart.rest.guard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.bson.fields.Update;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.ProblemException;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.guard.QuerySecurity.PipelineRules;

/// The table `operators.txt` names everything that MongoDB 6.0 to 8.0 know, and where callers may use it: `shipped` as
/// the configuration is shipped, `rows` where a rule hides documents, `fields` where one hides fields, `pipelines` in
/// pipelines of callers with a rule.
class KnownOperatorsTest {
    private static final Visibility HIDING = Visibility.hiding(Set.of("secret"));
    private static final Optional<BsonDocument> RULE = Optional.of(BsonDocument.parse("{owner: 'ada'}"));
    private static final BsonInt32 ONE = new BsonInt32(1);

    private static boolean passes(Runnable check) {
        try {
            check.run();
            return true;
        } catch (ProblemException _) {
            return false;
        }
    }

    private static BsonDocument with(String name, BsonValue value) {
        return new BsonDocument(name, value);
    }

    private static String verdict(Place place, String name) {
        var checks = new LinkedHashMap<String, BooleanSupplier>();
        switch (place) {
            case STAGE -> {
                var pipeline = List.of(with(name, new BsonDocument()));
                checks.put(
                        "shipped",
                        () -> passes(() -> inspection(QuerySecurity.DEFAULT).check(pipeline, "db")));
                checks.put("collection", () -> passes(() -> ReadingStages.OF_COLLECTION.check(pipeline)));
                checks.put("pipelines", () -> passes(() -> ReadingStages.WITHIN_RULES.check(pipeline)));
            }
            case EXPRESSION -> ofExpression(with(name, new BsonString("$a")), checks);
            case VARIABLE -> ofExpression(new BsonString("$$" + name), checks);
            case QUERY -> {
                var filter = Operators.TOP_OF_FILTER.contains(name) ? with(name, ONE) : with("a", with(name, ONE));
                checks.put(
                        "shipped",
                        () -> passes(() -> new ForbiddenOperators(QuerySecurity.DEFAULT).checkFilter(filter)));
                checks.put("rows", () -> passes(() -> StagedFilter.of(RULE, List.of(filter))));
                checks.put("fields", () -> HIDING.allowsFilter(filter));
            }
            case UPDATE -> {
                var update = new Update.Operators(with(name, with("a", new BsonString("b"))));
                checks.put(
                        "shipped",
                        () -> passes(() -> new NamedOperators(new KnownOperators(Set.of()))
                                .update(update, Location.of("content"))));
                checks.put("fields", () -> HIDING.allowsUpdate(update, List.of()));
            }
        }
        return checks.entrySet().stream()
                .filter(check -> check.getValue().getAsBoolean())
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(" "));
    }

    private static void ofExpression(BsonValue expression, Map<String, BooleanSupplier> checks) {
        var filter = with("$expr", expression);
        checks.put("shipped", () -> passes(() -> new ForbiddenOperators(QuerySecurity.DEFAULT).checkFilter(filter)));
        checks.put("rows", () -> passes(() -> StagedFilter.of(RULE, List.of(filter))));
        checks.put("fields", () -> HIDING.allowsExpression(expression));
        checks.put(
                "pipelines",
                () -> passes(() -> ReadingStages.WITHIN_RULES.check(
                        new BsonArray(List.of(with("$project", with("x", expression)))))));
    }

    private static PipelineInspection inspection(QuerySecurity security) {
        return new PipelineInspection(security, (_, _) -> Set.of());
    }

    static List<String> table() {
        var lines = new ArrayList<String>();
        for (var place : Place.values()) {
            place.known().stream()
                    .sorted()
                    .map(name -> (place + " " + name + ": " + verdict(place, name)).strip())
                    .forEach(lines::add);
        }
        return lines;
    }

    @Test
    void each_known_name_has_its_verdict() throws IOException {
        try (var file = Objects.requireNonNull(getClass().getResourceAsStream("operators.txt"))) {
            assertThat(table())
                    .containsExactlyElementsOf(
                            new String(file.readAllBytes(), UTF_8).lines().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void a_new_name_is_allowed_nowhere(Place place) {
        for (var name : List.of("$newOp", "$Match", "$EQ", "$_internalNew")) {
            assertThat(verdict(place, place == Place.VARIABLE ? name.replace("$", "N") : name))
                    .as(name)
                    .isEmpty();
        }
    }

    @Test
    void the_configuration_opens_names() {
        var open = new QuerySecurity(Operators.CODE, PipelineRules.DEFAULT, Set.of("$newStage", "$newOp"), Set.of());
        var stages = List.of(BsonDocument.parse("{$newStage: {a: {$newOp: 1}}}"));
        assertThat(passes(() -> inspection(open).check(stages, "db"))).isTrue();
        assertThat(passes(() -> inspection(QuerySecurity.DEFAULT).check(stages, "db")))
                .isFalse();
        var filter = BsonDocument.parse("{a: {$newOp: 1}}");
        assertThat(passes(() -> new ForbiddenOperators(open).checkFilter(filter)))
                .isTrue();
    }

    @Test
    void where_nothing_is_forbidden_unknown_operators_pass_but_no_stages() {
        var open = new QuerySecurity(Set.of(), PipelineRules.NONE, Set.of(), Set.of());
        assertThat(passes(() -> new ForbiddenOperators(open).checkFilter(BsonDocument.parse("{a: {$newOp: 1}}"))))
                .isTrue();
        assertThat(passes(() ->
                        inspection(open).check(List.of(BsonDocument.parse("{$project: {a: {$newOp: 1}}}")), "db")))
                .isTrue();
        assertThat(passes(() -> inspection(open).check(List.of(BsonDocument.parse("{$newStage: {}}")), "db")))
                .isFalse();
    }

    @Test
    void names_in_values_are_no_operators() {
        var shipped = new ForbiddenOperators(QuerySecurity.DEFAULT);
        for (var filter : List.of(
                "{a: {$eq: {$newOp: 1}}}",
                "{a: {$in: [{$newOp: 1}]}}",
                "{a: {b: {$newOp: 1}}}",
                "{ref: {$ref: 'c', $id: 1}}",
                "{$expr: {$eq: ['$a', {$literal: {$newOp: 1}}]}}")) {
            assertThat(passes(() -> shipped.checkFilter(BsonDocument.parse(filter))))
                    .as(filter)
                    .isTrue();
        }
    }
}

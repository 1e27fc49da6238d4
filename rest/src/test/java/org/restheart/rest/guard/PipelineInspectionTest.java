package org.restheart.rest.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.ProblemException;
import org.restheart.rest.guard.QuerySecurity.PipelineRules;

class PipelineInspectionTest {
    private static final PipelineInspection NO_LISTS =
            inspection(new PipelineRules(true, Set.of(), Set.of(), false, false));

    private static PipelineInspection inspection(PipelineRules rules) {
        return new PipelineInspection(new QuerySecurity(Set.of(), rules, Set.of(), Set.of()), (_, _) -> Set.of());
    }

    private static void check(PipelineInspection inspection, String stage) {
        inspection.check(List.of(BsonDocument.parse(stage)), "mine");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{$lookup: {from: 'other.c'}} | CROSS_DATABASE_ACCESS operator '$lookup' at pipeline[0]",
                "{$lookup: {from: {db: 'other', coll: 'c'}}} | CROSS_DATABASE_ACCESS",
                "{$graphLookup: {from: 'other.c'}} | CROSS_DATABASE_ACCESS operator '$graphLookup'",
                "{$unionWith: 'other.c'} | CROSS_DATABASE_ACCESS operator '$unionWith'",
                "{$unionWith: {coll: 'other.c'}} | CROSS_DATABASE_ACCESS",
                "{$unionWith: {db: 'other', coll: 'c'}} | CROSS_DATABASE_ACCESS",
                "{$out: {db: 'other', coll: 'c'}} | CROSS_DATABASE_OUTPUT operator '$out'",
                "{$merge: {into: {db: 'other', coll: 'c'}}} | CROSS_DATABASE_OUTPUT operator '$merge'",
                "{$facet: {a: [{$unionWith: 'other.c'}]}} | CROSS_DATABASE_ACCESS operator '$unionWith' at"
                        + " pipeline[0].$facet.a[0]",
                "{$lookup: {from: 'c', pipeline: [{$lookup: {from: 'other.c'}}]}} | at pipeline[0].$lookup.pipeline[0]",
                "{$unionWith: {coll: 'c', pipeline: [{$unionWith: 'other.c'}]}} | at"
                        + " pipeline[0].$unionWith.pipeline[0]",
                "{$rankFusion: {input: {pipelines: {a: [{$unionWith: 'other.c'}]}}}} | at"
                        + " pipeline[0].$rankFusion.input.pipelines.a[0]",
                "{$merge: {into: 'c', whenMatched: [{$where: 1}]}} | JAVASCRIPT_EXECUTION operator '$where'",
                "{$project: {x: {$function: {}}}} | JAVASCRIPT_EXECUTION operator '$function' at pipeline[0].$project.x"
            })
    void what_leaves_the_database_or_runs_code_is_named(String stage, String message) {
        assertThatThrownBy(() -> check(NO_LISTS, stage))
                .isInstanceOf(ProblemException.class)
                .hasMessageStartingWith("aggregation pipeline security violation: Security violation: ")
                .hasMessageContaining(message.strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$lookup: {from: 'c'}}",
                "{$lookup: {from: {db: 'mine', coll: 'c'}}}",
                "{$lookup: {from: 'mine.c'}}",
                "{$unionWith: 'c'}",
                "{$out: 'c'}",
                "{$out: {db: 'mine', coll: 'c'}}",
                "{$out: {db: 'mine', coll: 'config.backup'}}",
                "{$lookup: {from: {db: 'mine', coll: 'config.backup'}}}",
                "{$merge: {into: {db: 'mine', coll: 'admin.x'}}}",
                "{$merge: 'c'}",
                "{$merge: {into: 'c'}}",
                "{$match: {a: '$where'}}"
            })
    void what_stays_in_the_database_passes(String stage) {
        assertThatCode(() -> check(NO_LISTS, stage)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{$lookup: {from: 'other.c'}}", "{$out: 'c'}", "{$project: {x: {$function: {}}}}"})
    void nothing_is_checked_when_the_rules_are_off(String stage) {
        assertThatCode(() -> check(inspection(PipelineRules.NONE), stage)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{$unionWith: 'admin.c'}", "{$unionWith: {coll: 'admin.c'}}", "{$lookup: {from: 'admin.c'}}"})
    void reserved_databases_are_not_read_whatever_the_rules(String stage) {
        assertThatThrownBy(() -> check(inspection(PipelineRules.NONE), stage))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("PROTECTED_COLLECTION");
    }

    private static BsonDocument match(int length, int leaves) {
        var many = new BsonDocument();
        for (int i = 0; i < leaves; i++) {
            many.append(Integer.toString(i, 36), new BsonInt32(1));
        }
        return new BsonDocument("$match", new BsonDocument("x".repeat(length), many));
    }

    @Test
    void a_long_name_over_many_members_takes_little_memory() {
        var stages = List.of(match(400_000, 30_000));
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        NO_LISTS.check(stages, "mine");
        ReadingStages.WITHIN_RULES.check(stages);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64_000_000);
    }

    @Test
    void long_names_are_cut_in_messages() {
        var stage =
                new BsonDocument("$match", new BsonDocument("x".repeat(400_000), BsonDocument.parse("{$where: 1}")));
        assertThatThrownBy(() -> NO_LISTS.check(List.of(stage), "mine"))
                .hasMessageContaining("at pipeline[0].$match." + "x".repeat(100) + "… - ");
    }

    @Test
    void pipelines_with_too_many_members_are_refused() {
        var stages = List.of(match(1, 100_000));
        assertThatThrownBy(() -> NO_LISTS.check(stages, "mine"))
                .isInstanceOf(ProblemException.class)
                .hasMessage("a pipeline must not have more than 100000 members");
    }
}

package org.restheart.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PipelineResultsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{$group: {_id: '$a', n: {$sum: 1}}}, {$sort: {n: 1}} | _id n",
                "{$project: {a: 1, 'b.c': '$x', d: {$add: [1, 2]}}} | _id a b d",
                "{$project: {_id: 0, a: 1}}, {$limit: 5} | a",
                "{$match: {}}, {$count: 'n'} | n",
                "{$project: {secret: 0}} |",
                "{$project: {_id: 0}} |",
                "{$project: {a: {$var: 'v'}}} |",
                "{$group: {_id: 1}}, {$addFields: {b: 1}} |",
                "{$group: {_id: 1}}, {$ifvar: ['x', {$addFields: {b: 1}}]} |",
                "{$match: {}} |",
            })
    void fields_are_known_if_the_last_stages_name_them_all(String stages, String names) {
        var expected = Optional.ofNullable(names)
                .map(text -> Arrays.stream(text.split(" ")).collect(Collectors.toSet()));
        assertThat(DocumentSchemas.PipelineResults.fields(BsonDocument.parse("{stages: [" + stages + "]}"))
                        .map(Set::copyOf))
                .isEqualTo(expected);
    }
}

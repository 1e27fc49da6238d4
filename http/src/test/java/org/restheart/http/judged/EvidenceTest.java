package org.restheart.http.judged;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.parameter.OperationTable;

class EvidenceTest {
    @Test
    void the_request_that_rules_see_of_an_operation_is_the_one_that_does_it() {
        var operations = new ArrayList<Operation>(List.of(Read.values()));
        operations.addAll(List.of(Write.values()));
        operations.add(Structure.CREATE);
        for (var operation : operations) {
            var evidence = Evidence.of(operation);
            assertThat(OperationTable.of(evidence.kind(), evidence.method()))
                    .isEqualTo(
                            switch (operation) {
                                case Write.UPDATE_ONE, Write.REPLACE_ONE -> Write.UPDATE_MANY;
                                case Write.DELETE_ONE -> Write.DELETE_MANY;
                                default -> operation;
                            });
        }
    }
}

package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;

/// One caller whose results take all the memory it may have leaves memory for the results of others.
class ResultMemoryTest {
    private static final int PART = 4 << 20;

    private final ResultMemory memory = new ResultMemory(PART, new MemoryBudget(100L * PART));

    private ResultMemory.Share open(String caller) {
        return CallerScope.call(CallerScope.account(caller), memory::open);
    }

    private int fill(String caller, List<ResultMemory.Share> held) {
        for (int results = 0; ; results++) {
            var share = open(caller);
            held.add(share);
            try {
                share.hold(PART);
            } catch (ProblemException e) {
                assertThat(e.problem().status()).isEqualTo(503);
                return results;
            }
        }
    }

    @Test
    void results_of_one_caller_leave_memory_for_those_of_another() {
        var held = new ArrayList<ResultMemory.Share>();
        try {
            int first = fill("ada", held);
            assertThatCode(() -> open("ada").hold(PART)).isInstanceOf(ProblemException.class);
            int second = fill("bob", held);
            assertThat(first).isGreaterThan(10);
            assertThat(second).isBetween(first / 4, first);
        } finally {
            held.forEach(ResultMemory.Share::close);
        }
    }
}

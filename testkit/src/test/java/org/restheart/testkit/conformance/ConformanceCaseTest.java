package org.restheart.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
@TestInstance(Lifecycle.PER_CLASS)
final class ConformanceCaseTest {
    private final EchoGateway gateway;

    ConformanceCaseTest(TestMongo mongo) throws IOException {
        gateway = new EchoGateway(mongo.client());
    }

    @BeforeAll
    void start() {
        gateway.start();
    }

    @AfterAll
    void stop() {
        gateway.stop();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("self.yml")
    void answers_as_expected(ConformanceCase c, TestMongo mongo) {
        c.run(gateway, mongo);
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("wrong.yml")
    void a_failure_names_every_difference_and_shows_the_answer(ConformanceCase c, TestMongo mongo) {
        assertThatThrownBy(() -> c.run(gateway, mongo))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "wrong.yml: everything is wrong",
                        "status: should be 404 but is 200",
                        "X-Echo: should be absent but is echo",
                        "X-Absent: is absent but should be <any>",
                        "/method: should be \"PUT\" but is \"GET\"",
                        "> GET /",
                        "< 200");
    }

    @Test
    void an_unknown_key_is_refused() {
        assertThatThrownBy(() -> CaseReader.read("misspelt.yml")).hasMessageContaining("unknown key 'expects'");
    }

    @Test
    void a_name_is_used_once() {
        assertThatThrownBy(() -> CaseReader.read("twice.yml")).hasMessageContaining("two cases are named 'one'");
    }

    @Test
    void a_case_is_shown_by_its_name() {
        assertThat(CaseReader.read("wrong.yml")).hasToString("[everything is wrong]");
    }
}

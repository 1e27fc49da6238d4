package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.Finding.Level;
import org.restheart.text.Nearest;

class UnknownKeysTest {
    private static List<Finding> findings(String yaml, Level level) {
        return Configuration.parse(yaml).read().findings().stream()
                .filter(finding -> finding.level() == level)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mongo: {defualt-pagesize: 1} | /mongo/defualt-pagesize is not known; did you mean default-pagesize?",
                "mongo: {etag-check-policy: {document: OPTIONAL}} | /mongo/etag-check-policy/document is not known",
                "http-listener: {Port: 1} | /http-listener/Port is not known; did you mean port?",
                "core: {io_threads: 1} | /core/io_threads is not known; did you mean io-threads?",
                "connection-options: {MAX_ENTITIY_SIZE: 1} | /connection-options/MAX_ENTITIY_SIZE is not known; did"
                        + " you mean MAX_ENTITY_SIZE?",
                "ping: {message: hi} | /ping/message is not known",
                "graphql: {max-limits: 1} | /graphql/max-limits is not known; did you mean max-limit?",
                "proxies: [{location: /a, proxy-pass: 'http://b', max-queue: 1}] | /proxies[1]/max-queue is not known",
                "http-port: 8080 | /http-port is not known",
                "mongo-mounts: [{what: /a, where: /}] | /mongo-mounts is not known; did you mean /mongo/mongo-mounts?",
            })
    void an_unknown_key_of_a_known_block_is_reported(String yaml, String text) {
        assertThat(findings(yaml, Level.SUSPECT)).extracting(Finding::toString).containsExactly(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "my-plugin: {a: 1}",
                "ping: {enabled: true, uri: /p, secured: true}",
                "mongo: {cursor-batch-size: 1000, mongo-uri: 'mongodb://h', change-streams-keep-alive-ms: 1}",
                "core: {worker-threads: 8, requests-limit: 100}",
                "{eager-cursor-allocation-pool-size: 100, eager-cursor-allocation-linear-slice-heights: [4, 2, 1]}",
                "graphql: {app-def-cache-ttl: 1}",
                "rootRoleGuard: {enabled: false}",
                "connection-options: {HTTP2_SETTINGS_ENABLE_PUSH: false, MAX_AJP_PACKET_SIZE: 8192}",
                "accountsConfig: {app-name: x, templates: {verification: v, invite: i}}",
                "emails: {enabled: true, from: a@b.c}",
                "updatePipelineSecurityChecker: {enabled: true, operators-blacklist: [$function]}",
                "mongoRealmAuthenticator: {attached-props: [a]}",
            })
    void what_may_be_there_is_not_reported(String yaml) {
        assertThat(findings(yaml, Level.SUSPECT)).isEmpty();
    }

    @Test
    void guards_without_a_switch_are_reported_when_they_are_switched_off() {
        assertThat(findings("graphAppDefinitionPatchChecker: {enabled: false}", Level.ADVICE))
                .extracting(Finding::path)
                .contains("/graphAppDefinitionPatchChecker/enabled");
        assertThat(findings("graphAppDefinitionPatchChecker: {enabled: true}", Level.ADVICE))
                .extracting(Finding::path)
                .doesNotContain("/graphAppDefinitionPatchChecker/enabled");
    }

    @Test
    void an_unknown_block_is_taken_for_a_plugin_and_a_similar_name_is_reported() {
        assertThat(findings("http-listner: {port: 1}", Level.SUSPECT))
                .extracting(Finding::toString)
                .contains("/http-listner is taken for the arguments of a plugin; did you mean http-listener?");
        assertThat(findings("my-plugin: {a: 1}", Level.SUSPECT))
                .extracting(Finding::path)
                .doesNotContain("/my-plugin");
    }

    @ParameterizedTest
    @CsvSource({"prot,port,1", "port,port,0", "hots,host,1", "pot,port,1", "porst,port,1", "abc,xyz,3", "'',abc,3"})
    void the_distance_counts_slips_of_the_finger(String a, String b, int distance) {
        assertThat(Nearest.distance(a, b)).isEqualTo(distance);
    }
}

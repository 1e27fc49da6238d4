package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.plugin.Installation;

/// What plugins are for, how they fail and what they must not be able to do, each with the tests that show it.
class PluginUsesTest {
    private static final int USES = 16;
    private static final Pattern LISTED =
            Pattern.compile("(?<=^\\| |, )`(\\w+)\\(([^)]*)\\)`(?=.*\\|)", Pattern.MULTILINE);
    private static final int DANGERS = 13;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        use 1  | an endpoint of its own           | PluginEndpointsTest    | an_endpoint_beside_the_data
        use 1  | an endpoint of its own           | PluginEndpointsTest    | an_endpoint_reads_data_as_its_caller_may
        use 2  | change answers with data         | PluginInterceptorsTest | answers_with_data_are_changed_cards_are_masked
        use 2  | change answers with data         | PluginInterceptorsTest | documents_are_changed_on_their_way_out_in_every_form
        use 2  | change answers with data         | PluginInterceptorsTest | equal_requests_at_a_time_are_shown_documents_as_each_of_them_is
        use 2  | change answers with data         | PluginInterceptorsTest | fields_are_hidden_from_answers_filters_and_sorts
        use 3  | answer a write with the document | PluginEndpointsTest    | a_write_is_answered_with_the_new_document
        use 3  | increment and return, at once    | PluginEndpointsTest    | numbers_are_counted_and_returned_at_once
        use 4  | complete and change requests     | PluginInterceptorsTest | writes_are_completed_in_every_form
        use 4  | filters forced by user           | PluginInterceptorsTest | filters_forced_by_user_hold_for_reads_and_writes_and_the_rule_holds_too
        use 4  | headers as parameters            | PluginInterceptorsTest | requests_are_changed_before_they_are_judged_headers_as_parameters
        use 4  | an own wire format               | PluginInterceptorsTest | a_wire_format_of_its_own_both_ways
        use 5  | checks beyond schema and rules   | PluginInterceptorsTest | checks_beyond_schema_and_rules_by_every_way_in
        use 5  | checks beyond schema and rules   | PluginSecurityTest     | vetoes_by_every_way_in_and_for_everybody
        use 6  | effects after success            | PluginInterceptorsTest | what_was_written_is_told_after_it_is
        use 6  | webhooks                         | WebhooksTest           | changes_are_sent_signed_and_in_order_until_they_are_taken_also_those_of_a_time_without_gateway
        use 7  | foreign identities               | PluginSecurityTest     | foreign_identities
        use 7  | foreign tokens                   | PluginSecurityTest     | tokens_of_its_own_in_place_of_the_gateways
        use 8  | own authorization                | PluginSecurityTest     | rules_of_its_own
        use 9  | work at the start, schedules     | PluginEndpointsTest    | work_at_the_start_and_in_the_background
        use 10 | databases of tenants             | PluginInterceptorsTest | tenants_have_databases_of_their_own
        use 10 | accounts by host                 | PluginSecurityTest     | accounts_by_host_are_never_mixed
        use 11 | metrics                          | PluginEndpointsTest    | metrics_of_a_plugin_and_of_its_parts
        use 11 | fields of the log                | PluginInterceptorsTest | fields_of_lines_of_the_log
        use 11 | headers of answers               | PluginInterceptorsTest | headers_of_answers_and_of_proxied_services
        use 12 | an own page for failed log-ins   | PluginInterceptorsTest | failed_sign_ins_get_a_page_of_its_own
        use 12 | a lock after failed log-ins      | PluginSecurityTest     | failed_log_ins_are_seen_and_their_source_is_locked_out
        use 13 | proxied services                 | PluginInterceptorsTest | headers_of_answers_and_of_proxied_services
        use 14 | events of its own                | PluginEndpointsTest    | server_sent_events_of_its_own
        use 14 | events of streams are changed    | PluginInterceptorsTest | events_of_streams_are_changed
        use 15 | objects for other plugins        | PluginEndpointsTest    | objects_for_other_plugins_by_a_type_that_both_know
        use 16 | scripts without a build          | ScriptsTest            | the_scripts_of_the_page_do_what_it_says
        use 16 | scripts without a build          | ScriptsTest            | one_caller_leaves_threads_to_others
        failure | an unreadable jar              | PluginFailuresTest | a_jar_that_cannot_be_read
        failure | a missing class                | PluginFailuresTest | a_class_that_is_missing
        failure | a name that is invalid         | PluginFailuresTest | a_name_that_cannot_be_used
        failure | a name that is used twice      | PluginFailuresTest | a_name_that_is_used_twice
        failure | a circle                       | PluginFailuresTest | plugins_that_come_after_each_other_or_after_none
        failure | a plugin that is not there     | PluginFailuresTest | a_plugin_that_comes_after_one_that_is_not_there
        failure | the constructor                | PluginFailuresTest | a_constructor_that_fails
        failure | the installation               | PluginFailuresTest | an_installation_that_fails_leaves_nothing
        failure | settings                       | PluginFailuresTest | settings_that_cannot_be_used_are_all_named
        failure | another version of the API     | PluginFailuresTest | a_jar_for_another_version_of_the_api
        failure | a lost veto, also with skip    | PluginSecurityTest | a_gateway_does_not_start_without_a_veto_that_it_should_have
        failure | the start, the close           | PluginFailuresTest | a_start_that_fails_is_logged_only
        failure | an answer that comes later     | PluginFailuresTest | answers_that_fail_later_are_500_or_cut_and_counted
        failure | every part, also one that hangs, under load | PluginFailuresTest | failures_of_every_kind_under_load_are_those_of_their_requests
        danger 1  | one class path               | PluginLoadingTest      | two_versions_of_a_library_side_by_side_in_a_jar_and_in_a_folder
        danger 1  | one class path               | PluginLoadingTest      | a_jar_that_brings_classes_of_the_server_gets_the_servers
        danger 1  | one class path               | PluginLoadingTest      | a_library_of_its_own_may_have_packages_below_those_of_the_server
        danger 2  | races with the answer        | PluginInterceptorsTest | what_was_written_is_told_after_it_is
        danger 3  | no order                     | PluginInterceptorsTest | interceptors_of_a_lower_priority_are_outside
        danger 3  | no order that one can see    | PluginEndpointsTest    | the_start_says_what_plugins_add
        danger 4  | nobody tells them to stop    | PluginFailuresTest     | a_plugin_is_closed_after_those_that_have_its_objects_and_its_tasks_have_ended
        danger 4  | leaks                        | PluginLoadingTest      | nothing_is_left_after_the_stop
        danger 4  | leaks                        | PluginLoadingTest      | nothing_is_left_of_a_hundred_installations
        danger 5  | half a plugin                | PluginFailuresTest     | an_installation_that_fails_leaves_nothing
        danger 6  | guards undone                | PluginSecurityTest     | what_a_plugin_writes_into_accounts_is_guarded
        danger 6  | guards undone                | PluginInterceptorsTest | content_that_is_rewritten_is_still_guarded
        danger 6  | guards undone                | PluginInterceptorsTest | transforms_see_what_those_of_a_higher_priority_made_and_nothing_hidden
        danger 7  | tenants mixed by caches      | PluginSecurityTest     | accounts_by_host_are_never_mixed
        danger 8  | secrets of others            | PluginEndpointsTest    | a_plugin_sees_its_own_block_and_says_no_secrets
        danger 9  | classes named to clients     | PluginFailuresTest     | an_endpoint_that_fails_is_500_and_others_work
        danger 10 | two services at one path     | PluginFailuresTest     | a_path_that_is_taken
        danger 11 | open unless told otherwise   | PluginEndpointsTest    | the_start_says_what_plugins_add
        danger 12 | every request pays           | PluginLoadingTest      | routes_that_no_plugin_names_are_the_same_objects
        danger 12 | every request pays           | PluginInterceptorsTest | a_slow_interceptor_holds_no_other_request_and_is_asked_once
        danger 13 | floods of what is told       | PluginFailuresTest     | of_a_hundred_thousand_requests_few_wait_for_a_listener_that_is_stuck
        danger 13 | floods of what is told       | PluginFailuresTest     | large_ids_that_wait_for_a_listener_are_bounded_in_bytes
        danger 13 | floods of what is told       | PluginInterceptorsTest | a_listener_that_is_stuck_delays_nobody_and_takes_no_memory
        """)
    void each_has_a_test(String number, String what, String type, String test) throws ClassNotFoundException {
        assertThat(Class.forName(getClass().getPackageName() + "." + type).getDeclaredMethods())
                .as(number + ", " + what)
                .anyMatch(method -> method.getName().equals(test)
                        && (method.isAnnotationPresent(Test.class)
                                || method.isAnnotationPresent(ParameterizedTest.class)));
    }

    /// Each row of the tables of the reference that begins with a method, and each method.
    @Test
    void the_reference_lists_what_an_installation_takes_and_has() throws IOException {
        var page = Files.readString(Path.of("../docs/reference/plugins.md"));
        var listed = LISTED.matcher(
                        page.substring(page.indexOf("## What a plugin adds"), page.indexOf("## Interceptors")))
                .results()
                .map(call -> call.group(1) + " "
                        + (call.group(2).isEmpty() ? 0 : call.group(2).split(",").length))
                .toList();
        assertThat(Arrays.stream(Installation.class.getDeclaredMethods())
                        .map(method -> method.getName() + " " + method.getParameterCount()))
                .containsExactlyInAnyOrderElementsOf(listed);
    }

    @Test
    void none_is_left_out() throws NoSuchMethodException {
        var table = getClass()
                .getDeclaredMethod("each_has_a_test", String.class, String.class, String.class, String.class)
                .getAnnotation(CsvSource.class)
                .textBlock();
        var numbers = Arrays.stream(table.split("\n"))
                .map(line -> line.split("\\|")[0].strip())
                .toList();
        assertThat(numbers)
                .containsAll(
                        IntStream.rangeClosed(1, USES).mapToObj(n -> "use " + n).toList())
                .containsAll(IntStream.rangeClosed(1, DANGERS)
                        .mapToObj(n -> "danger " + n)
                        .toList());
    }
}

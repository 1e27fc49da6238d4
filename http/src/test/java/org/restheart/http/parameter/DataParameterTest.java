package org.restheart.http.parameter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.restheart.http.Query;

class DataParameterTest {
    private static final Path PAGE = Path.of("../docs/reference/api.md");

    @Test
    void the_reference_has_the_table_of_all_parameters() throws IOException {
        assertThat(Files.readString(PAGE)).contains(table());
    }

    private static String table() {
        return "| parameter | methods | values | meaning |\n|---|---|---|---|\n"
                + Arrays.stream(DataParameter.values())
                        .map(DataParameterTest::row)
                        .collect(Collectors.joining());
    }

    private static String row(DataParameter parameter) {
        var names = parameter.names().stream().collect(Collectors.joining("`, `", "`", "`"));
        var methods = parameter.methods().isEmpty()
                ? "all"
                : parameter.methods().stream().map(Enum::name).collect(Collectors.joining(", "));
        var values = switch (parameter.form()) {
            case ValueForm.Flag(var special) ->
                "flag: its presence counts" + (special.isEmpty() ? "" : "; `" + special + "`");
            case ValueForm.Switch _ -> "`true`, `false`";
            case ValueForm.Int(var min, var bounded) -> bounded ? min + " to `max-pagesize`" : "from " + min;
            case ValueForm.Choice choice -> choice.names().stream().collect(Collectors.joining("`, `", "`", "`"));
            case ValueForm.Json(var _, var example) -> example.isEmpty() ? "text or JSON" : "JSON";
            case ValueForm.Text(var type, var format) ->
                format.equals("uuid") ? "a UUID" : type.replace("string", "text");
        };
        return "| " + names + " | " + methods + " | " + values + " | " + parameter.meaning() + " |\n";
    }

    @Test
    void a_former_name_prevails_and_means_the_same() {
        var query = Query.parse("sort=a&sort_by=b&writeMode=UPSERT", 10);

        assertThat(DataParameter.SORT.texts(query)).containsExactly("b");
        assertThat(DataParameter.used(query, "sort")).containsExactly("b");
        assertThat(DataParameter.WRITE_MODE.choice(query)).contains("upsert");
        assertThat(DataParameter.canonical("writeMode")).isEqualTo("wm");
    }

    @Test
    void only_what_may_be_repeated_has_several_values() {
        var query = Query.parse("filter=a&filter=b&page=1&page=2&x=1&x=2", 10);

        assertThat(DataParameter.used(query, "filter")).containsExactly("a", "b");
        assertThat(DataParameter.used(query, "page")).containsExactly("1");
        assertThat(DataParameter.used(query, "x")).containsExactly("1", "2");
    }

    @Test
    void a_word_of_others_stands_for_a_parameter_or_its_value() {
        assertThat(DataParameter.meantBy("Limit")).contains("pagesize");
        assertThat(DataParameter.meantBy("upsert")).contains("wm=upsert");
        assertThat(DataParameter.meantBy("pagesize")).isEmpty();
    }
}

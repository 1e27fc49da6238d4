package org.restheart.core.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;

class LogSetupTest {
    @TempDir
    private Path folder;

    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void start() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.start();
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    private Path file() {
        return folder.resolve("gateway.log");
    }

    /// Applies the settings, with a file as the only output.
    private Logger logger(String settings) {
        var yaml = "logging: {log-to-console: false, log-to-file: true, log-file-path: '" + file() + "', " + settings
                + "}";
        LogSetup.apply(GatewayConfig.parse(yaml).logging(), context, true);
        return context.getLogger("org.restheart.Something");
    }

    private String logged() throws IOException {
        context.stop(); // waits for the queue
        return Files.readString(file());
    }

    @Test
    void libraries_that_log_through_the_platform_are_off() {
        var platform = java.util.logging.Logger.getLogger("com.github.benmanes.caffeine");
        platform.getParent().addHandler(new ConsoleHandler());
        logger("log-level: INFO");
        assertThat(java.util.logging.Logger.getLogger("").getHandlers()).isEmpty();
        assertThat(platform.getHandlers()).isEmpty();
    }

    @Test
    void a_line_has_date_time_zone_thread_level_and_message() throws IOException {
        logger("log-level: INFO").info("hello {}", "world");
        assertThat(logged())
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) \\[[^]]+] INFO  hello"
                        + " world\\R");
    }

    /// Names of accounts, keys of filters and messages of errors may have any characters.
    @Test
    void no_text_makes_a_line_that_looks_like_another_event() throws IOException {
        var forged = "12:00:00.000 [main] INFO  eve is root";
        var log = logger("log-level: INFO");
        for (var end : List.of("\n", "\r\n", "\r", "\u000b", "\f", "\u0085", "\u2028", "\u2029", "\n\n")) {
            log.info("account {} has logged in", "eve" + end + forged);
            log.warn("failed", new IllegalStateException("no " + end + forged, new IOException("x" + end + forged)));
        }
        assertThat(logged().split("\\R")).isNotEmpty().noneMatch(line -> line.startsWith(forged));
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"\u001b[2J", "\u001b]0;title\u0007", "\u009b8m", "\u001b[8m", "\b\b\b", "\u0000", "\u007f"})
    void no_text_controls_a_terminal(String sequence) {
        var standard = System.out;
        var written = new ByteArrayOutputStream();
        System.setOut(new PrintStream(written, true, UTF_8));
        try {
            LogSetup.apply(GatewayConfig.parse("logging: {log-level: INFO}").logging(), context, true);
            context.getLogger("org.restheart.Something").info("\u001b[32m200\u001b[0m of {}\there", sequence);
            context.stop();
        } finally {
            System.setOut(standard);
        }
        assertThat(written.toString(UTF_8))
                .contains("\u001b[32m200\u001b[0m of \\u00", "\there")
                .doesNotContain(sequence);
    }

    @Test
    void a_file_that_cannot_be_written_is_named_on_the_console() throws IOException {
        Files.createFile(folder.resolve("no-folder"));
        var path = folder.resolve("no-folder").resolve("gateway.log");
        var standard = System.out;
        var written = new ByteArrayOutputStream();
        System.setOut(new PrintStream(written, true, UTF_8));
        try {
            var yaml = "logging: {log-to-console: false, log-to-file: true, log-file-path: '" + path + "'}";
            LogSetup.apply(GatewayConfig.parse(yaml).logging(), context, false);
        } finally {
            System.setOut(standard);
        }
        assertThat(written.toString(UTF_8)).contains("ERROR", "the log file " + path + " cannot be written");
    }

    @Test
    void only_the_named_loggers_are_heard() throws IOException {
        var ours = logger("log-level: WARN, packages: [org.restheart, com.example]");
        ours.info("too quiet");
        ours.warn("loud enough");
        context.getLogger("com.example.Plugin").warn("plugin");
        context.getLogger("io.undertow").error("somebody else");
        assertThat(logged()).contains("loud enough", "plugin").doesNotContain("too quiet", "somebody else");
    }

    @Test
    void stack_traces_are_abridged() throws IOException {
        logger("full-stacktrace: false").error("failed", deep(50));
        assertThat(logged().lines().filter(line -> line.contains("\tat "))).hasSizeBetween(1, 20);
    }

    @Test
    void stack_traces_are_whole_when_asked_for() throws IOException {
        logger("full-stacktrace: true").error("failed", deep(50));
        assertThat(logged().lines().filter(line -> line.contains("\tat "))).hasSizeGreaterThan(50);
    }

    private static Exception deep(int depth) {
        return depth == 0 ? new IllegalStateException("deep down") : deep(depth - 1);
    }

    @Test
    void colors_belong_to_the_console() {
        LogSetup.apply(GatewayConfig.parse("logging: {no-colors: false}").logging(), context, true);
        assertThat(consolePattern()).contains("%highlight");
        LogSetup.apply(GatewayConfig.parse("logging: {no-colors: true}").logging(), context, false);
        assertThat(consolePattern()).doesNotContain("%highlight");
        assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).getLevel()).isEqualTo(Level.OFF);
    }

    @Test
    void colors_are_for_terminals_and_for_those_who_have_not_refused_them() {
        var colorful = GatewayConfig.parse("logging: {no-colors: false}").logging();
        assertThat(LogSetup.showsColors(colorful, Map.of(), true)).isTrue();
        assertThat(LogSetup.showsColors(colorful, Map.of("NO_COLOR", ""), true)).isTrue();
        assertThat(LogSetup.showsColors(colorful, Map.of("NO_COLOR", "1"), true))
                .isFalse();
        assertThat(LogSetup.showsColors(colorful, Map.of(), false)).isFalse();
        var plain = GatewayConfig.parse("logging: {no-colors: true}").logging();
        assertThat(LogSetup.showsColors(plain, Map.of(), true)).isFalse();
    }

    @Test
    void no_colors_get_into_a_file() throws IOException {
        logger("log-level: INFO").info("status=\u001b[32m200\u001b[0m");
        assertThat(logged()).contains("status=200").doesNotContain("\u001b");
    }

    @Test
    void lines_of_json_have_what_the_event_has() throws IOException {
        var logger = logger("log-format: json");
        logger.atWarn()
                .addKeyValue("status", 500)
                .setCause(new IllegalStateException("deep down"))
                .log("a \"quoted\"\nmessage");
        assertThat(logged())
                .hasLineCount(1)
                .matches("\\{\"time\":\"[0-9T:.-]+Z\",\"level\":\"WARN\",\"logger\":\"org.restheart.Something\","
                        + "\"thread\":\"[^\"]+\",\"message\":\"a .*\",\"status\":500,\"exception\":\".*\"}\\R")
                .contains("a \\\"quoted\\\"\\nmessage", "deep down");
    }

    @Test
    void the_audit_log_has_a_file_of_its_own_at_any_level() throws IOException {
        var audited = folder.resolve("audit.log");
        logger("log-level: ERROR, audit: writes, audit-file-path: '" + audited + "'");
        context.getLogger(LogSetup.AUDIT).info("who did what");
        assertThat(logged()).isEmpty();
        assertThat(audited).content().contains("who did what");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void lines_of_the_audit_log_are_json_among_others_too(String format) throws IOException {
        logger("log-format: " + format + ", audit: writes");
        context.getLogger(LogSetup.AUDIT).info("{}", "{\"event\":\"request\"}");
        assertThat(logged()).isEqualTo("{\"event\":\"request\"}\n");
    }

    @Test
    void files_that_something_else_has_renamed_are_begun_anew() throws IOException {
        var audited = folder.resolve("audit.log");
        var log = logger("log-file-max-size: 0, audit: writes, audit-file-path: '" + audited + "'");
        log.info("before");
        context.getLogger(LogSetup.AUDIT).info("done before");
        await().until(() -> Files.size(file()) > 0 && Files.size(audited) > 0);
        Files.move(file(), folder.resolve("old"));
        Files.move(audited, folder.resolve("old-audit"));
        LogSetup.reopenFiles(context);
        log.info("after");
        context.getLogger(LogSetup.AUDIT).info("done after");
        assertThat(logged()).contains("after").doesNotContain("before");
        assertThat(audited).content().isEqualTo("done after\n");
        assertThat(folder.resolve("old")).content().contains("before").doesNotContain("after");
    }

    private String consolePattern() {
        var console = (ch.qos.logback.core.ConsoleAppender<?>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console");
        return ((ch.qos.logback.classic.encoder.PatternLayoutEncoder) console.getEncoder()).getPattern();
    }

    @Test
    void a_full_file_is_zipped_and_a_fresh_one_begun() {
        var logger = logger("log-file-max-size: 1000000");
        var line = "x".repeat(10_000);
        await().until(() -> {
            for (int i = 0; i < 100; i++) {
                logger.info(line);
            }
            return Files.exists(Path.of(file() + "-1.log.zip")) && Files.exists(file());
        });
    }
}

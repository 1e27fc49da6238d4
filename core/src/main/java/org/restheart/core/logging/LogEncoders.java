package org.restheart.core.logging;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/// How log events become bytes: as lines of text, or of JSON.
public final class LogEncoders {
    private LogEncoders() {}

    /// Whether a character may begin a new line, or be interpreted by a terminal.
    public static boolean isControl(char c) {
        return c < ' ' || (c >= 0x7f && c < 0xa0) || c == '\u2028' || c == '\u2029';
    }

    public static String escaped(char c) {
        return String.format("\\u%04x", (int) c);
    }

    /// One JSON object per event and line: `time`, `level`, `logger`, `thread`, `message`, what the event has as key
    /// and value pairs, the MDC, and `exception`. Thread-safe.
    static final class Json extends EncoderBase<ILoggingEvent> {
        private static final JsonMapper JSON = JsonMapper.builder().build();
        private static final byte[] NOTHING = {};

        private final ThrowableProxyConverter traces = new ThrowableProxyConverter();

        /// @param depth of stack traces, as the pattern `%ex` takes it
        Json(String depth) {
            traces.setOptionList(List.of(depth));
        }

        @Override
        public void start() {
            traces.setContext(getContext());
            traces.start();
            super.start();
        }

        @Override
        public byte[] headerBytes() {
            return NOTHING;
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            var line = new LinkedHashMap<String, Object>();
            line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
            line.put("level", event.getLevel().toString());
            line.put("logger", event.getLoggerName());
            line.put("thread", event.getThreadName());
            line.put("message", String.valueOf(event.getFormattedMessage()));
            event.getMDCPropertyMap().forEach(line::putIfAbsent);
            if (event.getKeyValuePairs() != null) {
                event.getKeyValuePairs().forEach(pair -> line.putIfAbsent(pair.key, pair.value));
            }
            if (event.getThrowableProxy() != null) {
                line.put("exception", traces.convert(event));
            }
            return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] footerBytes() {
            return NOTHING;
        }
    }

    /// Text of which only the first line of each event begins without a space: names, keys and messages of
    /// exceptions come from clients and from the database, and line breaks in them shall not make a line that looks
    /// like another event. Other control characters are escaped, since terminals interpret them; tabs and colours
    /// are not.
    static final class Text extends PatternLayoutEncoder {
        private static final String INDENT = "    ";

        /// What is to be changed in a text: a line break before a line that is not indented, and control characters.
        private static final Pattern UNSAFE = Pattern.compile("\r?\n(?=[^ \t\r\n])|" + "\u001b\\[(?:[01];)?(?:0|3\\d)m|"
                + "(?!\t|\r?\n)[\\p{Cntrl}\u0080-\u009f\u2028\u2029]");

        private static final String ESCAPE = "\u001b";

        private final boolean colours;

        /// @param colours whether they are kept
        Text(boolean colours) {
            this.colours = colours;
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            return contained(getLayout().doLayout(event)).getBytes(StandardCharsets.UTF_8);
        }

        private String contained(String text) {
            return isPlainLine(text)
                    ? text
                    : UNSAFE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(replacement(found.group())));
        }

        private static boolean isPlainLine(String text) {
            int end = text.endsWith(System.lineSeparator())
                    ? text.length() - System.lineSeparator().length()
                    : text.length();
            for (int i = 0; i < end; i++) {
                if (isControl(text.charAt(i))) {
                    return false;
                }
            }
            return true;
        }

        private String replacement(String found) {
            if (found.endsWith("\n")) {
                return found + INDENT;
            }
            return found.length() > 1
                    ? colours ? found : found.replace(ESCAPE, escaped(ESCAPE.charAt(0)))
                    : escaped(found.charAt(0));
        }
    }
}

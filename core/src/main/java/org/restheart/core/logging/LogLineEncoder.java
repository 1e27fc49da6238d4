package org.restheart.core.logging;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Text of which only the first line of each event begins without a space: names, keys and messages of exceptions come
/// from clients and from the database, and line breaks in them shall not make a line that looks like another event.
/// Other control characters are escaped, since terminals interpret them; tabs and colours are not.
final class LogLineEncoder extends PatternLayoutEncoder {
    private static final String INDENT = "    ";

    /// What is to be changed in a text: a line break before a line that is not indented, and control characters.
    private static final Pattern UNSAFE = Pattern.compile("\r?\n(?=[^ \t\r\n])|" + "\u001b\\[(?:[01];)?(?:0|3\\d)m|"
            + "(?!\t|\r?\n)[\\p{Cntrl}\u0080-\u009f\u2028\u2029]");

    private static final String ESCAPE = "\u001b";

    private final boolean colours;

    /// @param colours whether they are kept
    LogLineEncoder(boolean colours) {
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
            char c = text.charAt(i);
            if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == '\u2028' || c == '\u2029') {
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

    private static String escaped(char c) {
        return String.format("\\u%04x", (int) c);
    }
}

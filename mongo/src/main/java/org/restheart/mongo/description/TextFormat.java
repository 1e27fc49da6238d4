package org.restheart.mongo.description;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/// Formats of texts as JSON Schema names them, as far as texts can be recognized.
public enum TextFormat {
    DATE_TIME("date-time", "\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[-+]\\d{2}:\\d{2})"),
    DATE("date", "\\d{4}-\\d{2}-\\d{2}"),
    UUID("uuid", "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    EMAIL("email", "[^@\\s]{1,64}@[^@\\s.]+(\\.[^@\\s.]+)+"),
    URI("uri", "[a-zA-Z][a-zA-Z0-9+.-]*://\\S+"),
    IPV4("ipv4", "(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}"),
    IPV6("ipv6", "(?=.*:.*:)[0-9a-fA-F:]{2,39}");

    /// Longer texts have no format.
    private static final int MAX_LENGTH = 256;

    private final String keyword;
    private final Pattern pattern;

    TextFormat(String keyword, String pattern) {
        this.keyword = keyword;
        this.pattern = Pattern.compile(pattern);
    }

    /// The value of the keyword `format`.
    public String keyword() {
        return keyword;
    }

    /// The formats that a text has.
    static Set<TextFormat> of(String text) {
        var formats = EnumSet.noneOf(TextFormat.class);
        if (text.length() <= MAX_LENGTH) {
            Arrays.stream(values())
                    .filter(format -> format.pattern.matcher(text).matches())
                    .forEach(formats::add);
        }
        return formats;
    }
}

package org.restheart.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Formats times as the common log format of web servers does, in UTC.
public final class LogTime {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "'['dd/MMM/yyyy:HH:mm:ss Z']'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private LogTime() {}

    /// Such as `[20/Nov/2026:09:21:10 +0000]`.
    public static String of(Instant time) {
        return FORMAT.format(time);
    }
}

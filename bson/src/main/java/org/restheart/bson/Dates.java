package org.restheart.bson;

import java.text.SimpleDateFormat;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Locale;
import java.util.TimeZone;
import org.restheart.bson.StrictJson.NotStrict;

/// Dates in ISO 8601 and UTC, written without formatter objects.
final class Dates {
    private static final long DAY = 86_400_000;
    /// 1582-10-15; the shell's spelling uses the Julian calendar before.
    private static final long GREGORIAN = -12_219_292_800_000L;

    private Dates() {}

    /// As `2019-09-12T13:42:49.26Z`: no trailing zeros after the seconds.
    ///
    /// @param millis since 1970, from 1970 to 9999
    static void writeShortest(long millis, Utf8Buffer out) {
        writeSeconds(millis, out);
        int fraction = (int) (millis % 1000);
        if (fraction != 0) {
            out.put('.');
            out.put((byte) ('0' + fraction / 100));
            if (fraction % 100 != 0) {
                out.put((byte) ('0' + fraction / 10 % 10));
                if (fraction % 10 != 0) {
                    out.put((byte) ('0' + fraction % 10));
                }
            }
        }
        out.put('Z');
    }

    /// As `2019-09-12T13:42:49.260Z`: always three digits after the seconds.
    ///
    /// @param millis since 1970, from the year 99 to 9999
    static void writeWithMillis(long millis, Utf8Buffer out) {
        if (millis < GREGORIAN) {
            var format = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT);
            format.setTimeZone(TimeZone.getTimeZone("UTC"));
            out.ascii(format.format(millis));
            return;
        }
        writeSeconds(millis, out);
        int fraction = (int) Math.floorMod(millis, 1000L);
        out.put('.');
        out.put((byte) ('0' + fraction / 100));
        int at = out.room(3);
        GrowableBytes.pair(fraction % 100, out.bytes, at);
        out.bytes[at + 2] = 'Z';
        out.length = at + 3;
    }

    /// Reads `2019-09-12T13:42:49Z` with up to nine digits after the seconds.
    ///
    /// @return milliseconds since 1970
    /// @throws NotStrict if the text is not such a date of the years 1 to 9999
    static long parse(byte[] in, int from, int to) {
        int fraction = to - from - 20;
        if (fraction < 0 || fraction == 1 || fraction > 10 || in[to - 1] != 'Z') {
            throw new NotStrict();
        }
        int year = digits(in, from, 4);
        int month = digits(in, from + 5, 2);
        int day = digits(in, from + 8, 2);
        int hour = digits(in, from + 11, 2);
        int minute = digits(in, from + 14, 2);
        int second = digits(in, from + 17, 2);
        StrictJson.require(in[from + 4], '-');
        StrictJson.require(in[from + 7], '-');
        StrictJson.require(in[from + 10], 'T');
        StrictJson.require(in[from + 13], ':');
        StrictJson.require(in[from + 16], ':');
        if (year == 0 || hour > 23 || minute > 59 || second > 59) {
            throw new NotStrict();
        }
        int millis = 0;
        if (fraction > 0) {
            StrictJson.require(in[from + 19], '.');
            digits(in, from + 20, fraction - 1);
            int kept = Math.min(fraction - 1, 3);
            millis = digits(in, from + 20, kept) * (kept == 1 ? 100 : kept == 2 ? 10 : 1);
        }
        try {
            long days = LocalDate.of(year, month, day).toEpochDay();
            return days * DAY + ((hour * 60 + minute) * 60 + second) * 1000L + millis;
        } catch (DateTimeException _) {
            throw new NotStrict();
        }
    }

    private static int digits(byte[] in, int from, int count) {
        int value = 0;
        for (int i = from; i < from + count; i++) {
            if (in[i] < '0' || in[i] > '9') {
                throw new NotStrict();
            }
            value = value * 10 + in[i] - '0';
        }
        return value;
    }

    private static void writeSeconds(long millis, Utf8Buffer out) {
        int seconds = (int) (Math.floorMod(millis, DAY) / 1000);
        // Days to a date of the proleptic Gregorian calendar, counted from 0000-03-01, so that leap days come last.
        int days = (int) Math.floorDiv(millis, DAY) + 719_468;
        int era = days / 146_097;
        int dayOfEra = days % 146_097;
        int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int march = (5 * dayOfYear + 2) / 153;
        int day = dayOfYear - (153 * march + 2) / 5 + 1;
        int month = march < 10 ? march + 3 : march - 9;
        int year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);

        int at = out.room(19);
        byte[] bytes = out.bytes;
        GrowableBytes.pair(year / 100, bytes, at);
        GrowableBytes.pair(year % 100, bytes, at + 2);
        bytes[at + 4] = '-';
        GrowableBytes.pair(month, bytes, at + 5);
        bytes[at + 7] = '-';
        GrowableBytes.pair(day, bytes, at + 8);
        bytes[at + 10] = 'T';
        GrowableBytes.pair(seconds / 3600, bytes, at + 11);
        bytes[at + 13] = ':';
        GrowableBytes.pair(seconds / 60 % 60, bytes, at + 14);
        bytes[at + 16] = ':';
        GrowableBytes.pair(seconds % 60, bytes, at + 17);
        out.length = at + 19;
    }
}

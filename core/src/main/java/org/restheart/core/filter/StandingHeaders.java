package org.restheart.core.filter;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `X-Powered-By` and `Date` on every response from behind the security filter; refusals by it carry neither.
final class StandingHeaders implements Filter {
    /// IMF-fixdate (RFC 9110, 5.6.7).
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private final boolean poweredBy;
    private final boolean date;
    private volatile Second current;

    StandingHeaders(boolean poweredBy, boolean date) {
        this.poweredBy = poweredBy;
        this.date = date;
        this.current = second(Instant.now());
    }

    @Override
    public Response filter(Request request, Handler next) {
        return next.handle(request).map(this::add);
    }

    Response.Ready add(Response.Ready response) {
        return response.with(fields());
    }

    private Fields fields() {
        if (!date) {
            return current.fields;
        }
        var now = Instant.now();
        var known = current;
        if (known.epochSecond != now.getEpochSecond()) {
            known = second(now);
            current = known; // a race between threads is harmless: both write the same second
        }
        return known.fields;
    }

    private Second second(Instant now) {
        var fields = poweredBy ? Fields.of("X-Powered-By", "restheart.org") : Fields.NONE;
        return new Second(now.getEpochSecond(), date ? fields.plus("Date", DATE.format(now)) : fields);
    }

    /// The headers of one second: formatted once, not per response.
    private record Second(long epochSecond, Fields fields) {}
}
